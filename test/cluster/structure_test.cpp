// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// Which sources know libpq and SQL. It reads them: the tests run in the project's folder.

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

namespace {

namespace fs = std::filesystem;

/// The names of the files in a folder and below that match.
std::set<std::string> filesWith(const std::string& folder, const std::string& pattern) {
    const std::regex regex(pattern);
    std::set<std::string> names;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
        if (!entry.is_regular_file()) continue;
        std::ifstream file(entry.path());
        const std::string text(std::istreambuf_iterator<char>(file), {});
        if (std::regex_search(text, regex)) names.insert(entry.path().filename().string());
    }
    return names;
}

}  // namespace

BOOST_AUTO_TEST_CASE(k82_only_the_connection_and_its_values_know_libpq) {
    BOOST_TEST((filesWith("lib/cluster", "libpq-fe\\.h") ==
                std::set<std::string>{"connection.cpp", "wire.cpp"}));
}

BOOST_AUTO_TEST_CASE(k82_sql_stands_in_the_statements_alone) {
    BOOST_TEST(
        (filesWith("lib/cluster", "(select|update|insert into|delete from|from) @\\.") ==
         std::set<std::string>{"schema_statements.cpp", "statements.cpp", "write_statements.cpp"}));
}

BOOST_AUTO_TEST_CASE(k85_libjtimer_does_not_know_libpq) {
    for (const fs::directory_entry& entry : fs::directory_iterator("lib")) {
        if (!entry.is_directory() || entry.path().filename() == "cluster") continue;
        BOOST_TEST(filesWith(entry.path().string(), "libpq|cluster/").empty(), entry.path());
    }
}
