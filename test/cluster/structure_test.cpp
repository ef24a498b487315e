// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// Which sources know libpq and SQL, and how the parts of a node are connected. It reads the
// sources: the tests run in the project's folder.

#include <boost/test/unit_test.hpp>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

namespace {

namespace fs = std::filesystem;

std::string textOf(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Calls `use` with each match in the text, in its order.
template <class Use>
void forEachMatch(const std::string& text, const std::string& pattern, const Use& use) {
    const std::regex regex(pattern);
    for (auto i = std::sregex_iterator(text.begin(), text.end(), regex);
         i != std::sregex_iterator(); ++i)
        use(*i);
}

/// The names of the files in a folder and below that match.
std::set<std::string> filesWith(const std::string& folder, const std::string& pattern) {
    const std::regex regex(pattern);
    std::set<std::string> names;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
        if (!entry.is_regular_file()) continue;
        if (std::regex_search(textOf(entry.path()), regex))
            names.insert(entry.path().filename().string());
    }
    return names;
}

}  // namespace

BOOST_AUTO_TEST_CASE(k82_only_the_connection_and_its_values_know_libpq) {
    BOOST_TEST((filesWith("lib/cluster", "libpq-fe\\.h") ==
                std::set<std::string>{"connection.cpp", "connection_pipeline.cpp", "result.cpp"}));
}

BOOST_AUTO_TEST_CASE(k82_sql_stands_in_the_statements_alone) {
    BOOST_TEST(
        (filesWith("lib/cluster", "(select|update|insert into|delete from|from) @\\.|create schema|"
                                  "\"begin[ ;]|, \"(commit|rollback)\"\\)") ==
         std::set<std::string>{"caller_statements.cpp", "history_statements.cpp",
                               "node_statements.cpp", "pause_statements.cpp",
                               "schema_statements.cpp", "statements.cpp", "statements.hpp",
                               "write_statements.cpp"}));
}

BOOST_AUTO_TEST_CASE(k85_libjtimer_does_not_know_libpq) {
    for (const fs::directory_entry& entry : fs::directory_iterator("lib")) {
        if (!entry.is_directory() || entry.path().filename() == "cluster") continue;
        BOOST_TEST(filesWith(entry.path().string(), "libpq|cluster/").empty(), entry.path());
    }
}

// Each line: a part, its call, the part that answers, and the function.
BOOST_AUTO_TEST_CASE(the_picture_in_the_design_has_all_calls_between_the_parts_of_a_node) {
    const std::string engine = textOf("lib/cluster/engine.cpp");
    std::set<std::string> connected;
    std::string part;
    forEachMatch(
        engine,
        "(\\w+)::Calls callsOf|calls\\.(\\w+) = "
        "[^{]*\\{\\s*(?:return )?(?:engine\\.)?(\\w+)\\.(\\w+)\\(",
        [&](const std::smatch& match) {
            if (match[1].matched) {
                part = match[1];
                return;
            }
            // A member is named after its class.
            std::string other = match[3] == "stores" ? "storePool" : match[3].str();
            other[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(other[0])));
            connected.insert(part + ' ' + match[2].str() + ' ' + other + ' ' + match[4].str());
        });
    std::set<std::string> drawn;
    forEachMatch(textOf("doc/internals/design.md"),
                 "\\n(Node|Listener|EndWriter|Dispatcher) +(\\w+) +([A-Z]\\w+) +(\\w+)  +[a-z]",
                 [&](const std::smatch& match) {
                     drawn.insert(match[1].str() + ' ' + match[2].str() + ' ' + match[3].str() +
                                  ' ' + match[4].str());
                 });
    BOOST_TEST(drawn.size() > 10U);
    BOOST_TEST(drawn == connected, boost::test_tools::per_element());
}

// A Node has a Listener; otherwise the parts know only what they share.
BOOST_AUTO_TEST_CASE(no_part_of_a_node_includes_another) {
    const std::string part =
        "#include "
        "\"cluster/"
        "(dispatcher|end_writer|listener|node|run_end_hook|engine|scheduler_state)\\.hpp\"";
    for (const std::string name : {"connected_thread", "dispatcher", "end_writer", "environment",
                                   "listener", "node", "run_end_hook", "run_state"}) {
        for (const std::string ending : {".hpp", ".cpp"}) {
            const fs::path path = "lib/cluster/" + name + ending;
            forEachMatch(textOf(path), part, [&](const std::smatch& match) {
                const bool own = match[1] == name;
                BOOST_TEST((own || (path == "lib/cluster/node.hpp" && match[1] == "listener")),
                           path << " includes " << match[1].str() << ".hpp");
            });
        }
    }
}
