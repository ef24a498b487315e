// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "generator.hpp"
#include "golden.hpp"
#include "java.hpp"
#include "player.hpp"
#include "reducer.hpp"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>

namespace fs = std::filesystem;

namespace {

using oracle::Scenario;
using oracle::Transcript;

const std::string kCopyright = "# Copyright the jtimer authors. Distributed under the Boost "
                               "Software License, Version 1.0.";

const std::string kUsage = R"(usage:
  oracle compare FILE...             plays the scenarios of the files on both, and compares
  oracle random SEED COUNT [INDEX]   the same with random scenarios (INDEX: only that one)
  oracle play FILE...                prints what jtimer does
  oracle show SEED INDEX             prints a random scenario
  oracle record SEED COUNT           plays all files, and COUNT random scenarios, on the JDK, and
                                     writes what it does to test/jdk/oracle/golden
Java is called by the command in $ORACLE_JAVA.
)";

/// Where files go that nobody keeps.
std::string scratch() {
    const char* const folder = std::getenv("ORACLE_SCRATCH");
    const std::string path = folder != nullptr ? folder : "build/oracle";
    fs::create_directories(path);
    return path;
}

std::vector<Transcript> playAll(const std::vector<Scenario>& scenarios) {
    std::vector<Transcript> transcripts;
    for (const Scenario& scenario : scenarios) transcripts.push_back(oracle::play(scenario));
    return transcripts;
}

std::vector<bool> judge(const std::vector<Scenario>& scenarios) {
    oracle::Java java(scenarios, scratch());
    const std::vector<Transcript> ours = playAll(scenarios);
    const std::vector<Transcript> theirs = java.recording().transcripts;
    std::vector<bool> differ;
    for (std::size_t i = 0; i < ours.size(); ++i) differ.push_back(ours[i] != theirs[i]);
    return differ;
}

/// Prints the shortest scenario that still differs.
void report(const Scenario& scenario, const Transcript& theirs, const Transcript& ours,
            const std::string& command) {
    std::cout << "\n=== a difference, in a scenario of " << scenario.lines.size() << " lines";
    if (!judge({scenario})[0]) {
        std::cout << ", but not when it is played again: does it depend on luck?\n";
        write(std::cout, scenario);
        writeDifference(std::cout, theirs, ours);
        return;
    }
    const Scenario reduced = oracle::shortest(scenario, judge);
    const std::string file = scratch() + "/" + scenario.name + ".scenario";
    std::ofstream out(file);
    write(out, reduced);
    out.close();
    std::cout << ", reduced to " << reduced.lines.size() << ":\n";
    write(std::cout, reduced);
    oracle::Java java({reduced}, scratch());
    const Transcript again = oracle::play(reduced);
    writeDifference(std::cout, java.recording().transcripts.at(0), again);
    std::cout << "=== play it again: " << command << " compare " << file << '\n' << std::flush;
}

/// \returns how many differ
std::size_t compare(const std::vector<Scenario>& scenarios, const std::string& command) {
    constexpr std::size_t reported = 3;
    oracle::Java java(scenarios, scratch());
    const std::vector<Transcript> ours = playAll(scenarios);
    const oracle::Recording theirs = java.recording();
    std::vector<std::size_t> differing;
    for (std::size_t i = 0; i < ours.size(); ++i) {
        if (ours[i] != theirs.transcripts[i]) differing.push_back(i);
    }
    // The shortest ones are reduced fastest.
    std::stable_sort(differing.begin(), differing.end(), [&](std::size_t a, std::size_t b) {
        return scenarios[a].lines.size() < scenarios[b].lines.size();
    });
    for (std::size_t n = 0; n < std::min(reported, differing.size()); ++n) {
        const std::size_t i = differing[n];
        report(scenarios[i], theirs.transcripts[i], ours[i], command);
    }
    for (const std::string& line : theirs.head) std::cout << line << '\n';
    std::cout << scenarios.size() << " scenarios played on both, " << differing.size()
              << " differ\n";
    return differing.size();
}

/// Writes what the JDK does with the scenarios to a golden file.
void record(const std::vector<Scenario>& scenarios, const std::string& name,
            const std::string& note) {
    oracle::Recording recording = oracle::Java(scenarios, scratch()).recording();
    recording.head.insert(recording.head.begin(), kCopyright);
    if (!note.empty()) recording.head.push_back(note);
    const std::string file = "test/jdk/oracle/golden/" + name + ".answers";
    std::ofstream out(file);
    writeGolden(out, recording);
    out.close();
    if (!out) throw std::runtime_error("cannot write " + file);
    std::cout << file << ": " << scenarios.size() << " scenarios\n";
}

void recordAll(unsigned seed, unsigned count) {
    for (const auto& entry : fs::directory_iterator("test/jdk/oracle/scenarios")) {
        record(oracle::readScenarios(entry.path().string()), entry.path().stem().string(), "");
    }
    record(oracle::randomScenarios(seed, count), "random",
           "# seed " + std::to_string(seed) + ", " + std::to_string(count) + " scenarios");
}

int run(const std::vector<std::string>& args) {
    const std::string command = args.size() > 1 ? args[1] : "";
    const auto number = [&](std::size_t i) { return static_cast<unsigned>(std::stoul(args[i])); };
    if ((command == "compare" || command == "play") && args.size() > 2) {
        std::vector<Scenario> scenarios;
        for (std::size_t i = 2; i < args.size(); ++i) {
            const std::vector<Scenario> more = oracle::readScenarios(args[i]);
            scenarios.insert(scenarios.end(), more.begin(), more.end());
        }
        if (command == "compare") return compare(scenarios, args[0]) == 0 ? 0 : 1;
        write(std::cout, oracle::Recording{{}, playAll(scenarios)});
    } else if (command == "random" && args.size() == 4) {
        return compare(oracle::randomScenarios(number(2), number(3)), args[0]) == 0 ? 0 : 1;
    } else if (command == "random" && args.size() == 5) {
        return compare({oracle::randomScenario(number(2), number(4))}, args[0]) == 0 ? 0 : 1;
    } else if (command == "show" && args.size() == 4) {
        write(std::cout, oracle::randomScenario(number(2), number(3)));
    } else if (command == "record" && args.size() == 4) {
        recordAll(number(2), number(3));
    } else {
        std::cerr << kUsage;
        return 2;
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run({argv, argv + argc});
    } catch (const std::exception& e) {
        std::cerr << "oracle: " << e.what() << '\n';
        return 2;
    }
}
