// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "fuzz/target.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path kCorpus = "test/fuzz/corpus";

std::vector<std::uint8_t> bytesOf(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_target_has_a_corpus_and_each_corpus_a_target) {
    std::set<std::string> folders, targets;
    for (const auto& folder : fs::directory_iterator(kCorpus))
        folders.insert(folder.path().filename().string());
    for (const auto& [name, play] : fuzz::targets()) targets.insert(name);
    BOOST_TEST(folders == targets, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(each_target_plays_its_corpus) {
    for (const auto& [name, play] : fuzz::targets()) {
        int files = 0;
        for (const auto& file : fs::directory_iterator(kCorpus / name)) {
            BOOST_TEST_CONTEXT(file.path()) {
                const std::vector<std::uint8_t> bytes = bytesOf(file.path());
                play(fuzz::Choices(bytes.data(), bytes.size()));
            }
            ++files;
        }
        BOOST_TEST(files > 0, name);
    }
}
