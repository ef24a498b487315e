// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A program of its own, for it is linked with the player of the oracle.
#include "jdk/oracle/generator.hpp"
#include "jdk/oracle/golden.hpp"
#include "jdk/oracle/player.hpp"
#include "jdk/oracle/reducer.hpp"
#include "support/abilities.hpp"
#include "support/test.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>

using oracle::Scenario;
using oracle::Transcript;

// What the JDK does is recorded in test/jdk/oracle/golden; `make oracle` asks a JDK.

namespace {

namespace fs = std::filesystem;

const fs::path kScenarios = "test/jdk/oracle/scenarios";
const fs::path kGolden = "test/jdk/oracle/golden";

/// The names of the folder's files, without their ends.
std::set<std::string> stemsIn(const fs::path& folder) {
    std::set<std::string> stems;
    for (const auto& entry : fs::directory_iterator(folder)) {
        stems.insert(entry.path().stem().string());
    }
    return stems;
}

oracle::Recording golden(const std::string& stem) {
    return oracle::readGolden((kGolden / (stem + ".answers")).string());
}

/// Whether what boost::thread::interrupt() throws ends a run without a message.
bool interrupts() {
    try {
        test::needInterruption();
        return true;
    } catch (const test::Skipped&) {
        return false;
    }
}

/// Whether this system can play it. Says so if not.
bool isPlayable(const Scenario& scenario) {
    const bool isInterrupted =
        std::any_of(scenario.lines.begin(), scenario.lines.end(), [](const std::string& line) {
            return line.find("throw InterruptedException") != std::string::npos;
        });
    if (!isInterrupted || interrupts()) return true;
    std::cout << "left out for want of boost::thread::interrupt: " << scenario.name << std::endl;
    return false;
}

void checkAgainst(const oracle::Recording& recording, const std::vector<Scenario>& scenarios) {
    BOOST_REQUIRE(recording.transcripts.size() == scenarios.size());
    for (std::size_t i = 0; i < scenarios.size(); ++i) {
        const Transcript& theirs = recording.transcripts[i];
        BOOST_REQUIRE(theirs.name == scenarios[i].name);
        if (!isPlayable(scenarios[i])) continue;
        const Transcript ours = answersOf(oracle::play(scenarios[i]));
        std::ostringstream difference;
        if (ours != theirs) writeDifference(difference, theirs, ours);
        BOOST_CHECK_MESSAGE(ours == theirs, theirs.name << ":\n" << difference.str());
    }
}

/// What a golden file says of the lines of a scenario.
std::string goldenOf(const std::vector<std::string>& lines) {
    std::ostringstream out;
    writeGolden(out, oracle::Recording{{}, {{"s", lines}}});
    return out.str();
}

bool refused(const std::string& line) {
    try {
        oracle::parse({"one", {"task a", line}});
    } catch (const std::runtime_error& e) {
        return std::string(e.what()).find(line) != std::string::npos;
    }
    return false;
}

/// The lines of the scenarios in `text`, or the message of the error.
std::string writtenOut(const std::string& text) {
    std::istringstream in(text);
    std::ostringstream out;
    try {
        for (const Scenario& scenario : oracle::readScenarios(in)) write(out, scenario);
    } catch (const std::runtime_error& e) {
        return e.what();
    }
    return out.str();
}

bool has(const Scenario& scenario, const std::string& line) {
    return std::find(scenario.lines.begin(), scenario.lines.end(), line) != scenario.lines.end();
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_hand_written_scenario_goes_as_on_the_jdk) {
    const std::set<std::string> stems = stemsIn(kScenarios);
    BOOST_TEST(stems.size() >= 10U);
    for (const std::string& stem : stems) {
        BOOST_TEST_CONTEXT(stem) {
            checkAgainst(golden(stem),
                         oracle::readScenarios((kScenarios / (stem + ".scenario")).string()));
        }
    }
}

BOOST_AUTO_TEST_CASE(a_hundred_random_scenarios_go_as_on_the_jdk) {
    const oracle::Recording recording = golden("random");
    BOOST_REQUIRE(recording.head.size() == 3U);
    unsigned seed = 0, count = 0;
    BOOST_REQUIRE(
        std::sscanf(recording.head[2].c_str(), "# seed %u, %u scenarios", &seed, &count) == 2);
    BOOST_TEST(count == 100U);
    checkAgainst(recording, oracle::randomScenarios(seed, count));
}

BOOST_AUTO_TEST_CASE(no_golden_file_is_left_over_and_each_tells_which_java_it_is_from) {
    std::set<std::string> expected = stemsIn(kScenarios);
    expected.insert("random");
    BOOST_TEST((stemsIn(kGolden) == expected));
    for (const std::string& stem : expected) {
        const oracle::Recording recording = golden(stem);
        BOOST_REQUIRE(recording.head.size() >= 2U);
        BOOST_TEST(recording.head[1].find(", Java ") != std::string::npos);
        for (const Transcript& transcript : recording.transcripts) {
            for (const std::string& line : transcript.lines) {
                BOOST_CHECK_MESSAGE(line.find("waited in vain") == std::string::npos,
                                    transcript.name << ": " << line);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(a_golden_file_has_the_answers_without_the_calls) {
    BOOST_TEST(
        goldenOf({"timer t => \"Timer-0\"", "timer u => \"Timer-1\"",
                  "schedule t x delay -1 => E: no", "join t", "[t] x runs, 1, -3, in \"Timer-0\"",
                  "[t]   cancel x => ok", "[u] y runs, 1, -3, in \"Timer-1\"",
                  "[t] x runs, 2, -2, in \"Timer-0\"", "[t] x runs, 3, -1, in \"Timer-0\"",
                  "[t] x runs, 4, 0, in \"Timer-0\"", "purge t => 0", "purge t => 0"}) ==
        "s: \"Timer-0\"; \"Timer-1\"; E: no; join; x -3; /ok; [u] y -3; x -2..0 by 1; 0*2\n");
    BOOST_TEST(goldenOf({"purge t => AnException: no", "[t]   purge t => AnException: no"}) ==
               "AE1 = AnException: no\ns: AE1; [t] /AE1\n");
    BOOST_CHECK_THROW(goldenOf({"purge t => 1; 2"}), std::runtime_error);
}

BOOST_AUTO_TEST_CASE(no_two_transcripts_of_a_scenario_have_the_same_answers) {
    const Transcript transcript{"s",
                                {"timer t => \"Timer-0\"", "schedule t x date -9 => ok", "join t",
                                 "[t] x runs, 1, -9, in \"Timer-0\"", "[t]   purge t => 0"}};
    const std::vector<std::pair<std::size_t, std::string>> changes{
        {0, "timer t => \"Timer-1\""},
        {1, "schedule t x date -9 => IllegalStateException: no"},
        {2, "(waited in vain)"},
        {3, "join t"},
        {3, "[u] x runs, 1, -9, in \"Timer-0\""},
        {3, "[t] y runs, 1, -9, in \"Timer-0\""},
        {3, "[t] x runs, 2, -9, in \"Timer-0\""},
        {3, "[t] x runs, 1, -8, in \"Timer-0\""},
        {3, "[t] x runs, 1, -9, in \"Timer-1\""},
        {3, "[t] x runs, 1, -9, by hand"},
        {4, "[t]   purge t => 1"},
        {4, "purge t => 0"},
        {4, "[u]   purge t => 0"}};
    for (const auto& [line, text] : changes) {
        Transcript changed = transcript;
        changed.lines[line] = text;
        BOOST_CHECK_MESSAGE(answersOf(changed) != answersOf(transcript), text);
        changed = transcript;
        std::swap(changed.lines[line], changed.lines[line == 0 ? 1 : line - 1]);
        BOOST_CHECK_MESSAGE(answersOf(changed) != answersOf(transcript), line);
    }
    Transcript shorter = transcript;
    shorter.lines.pop_back();
    BOOST_TEST((answersOf(shorter) != answersOf(transcript)));
}

BOOST_AUTO_TEST_CASE(a_scenario_with_a_line_that_is_not_in_the_language_is_refused) {
    for (const char* const line :
         {"task a", "task", "on b 1 purge t", "on a 1", "schedule t a", "schedule t a date",
          "schedule t a date max", "scheduleAtFixedRate t a delay 0", "schedule t a delay x",
          "throw Error \"x\"", "hold", "purge", "purge t u", "timer t named", "fly t", "thread",
          "on a 1 throw Nonsense \"x\"", "timer t named \"no end"}) {
        BOOST_CHECK_MESSAGE(refused(line), line);
    }
    BOOST_TEST(!refused("thread scheduleAtFixedRate t a date @min period max"));
    BOOST_TEST(!refused("timer t named \"two words\" daemon"));
}

BOOST_AUTO_TEST_CASE(repeat_and_tasks_write_out_lines_and_scenarios_for_each_value) {
    BOOST_TEST(writtenOut("repeat n 1 to 3\n"
                          "  scenario {n}-tasks\n"
                          "  # a comment\n"
                          "  repeat i 2 to {n}\n"
                          "    task x{i}\n"
                          "  end\n"
                          "end\n") ==
               "scenario 1-tasks\nscenario 2-tasks\ntask x2\nscenario 3-tasks\ntask x2\ntask x3\n");
    BOOST_TEST(writtenOut("scenario s\nrepeat a b in 1 2 \\\n  3 5\npurge x{10*a-b/2+1}\nend\n") ==
               "scenario s\npurge x10\npurge x29\n");
    BOOST_TEST(writtenOut("scenario s\nrepeat call t in purge x cancel y\n{call} {t}\nend\n") ==
               "scenario s\npurge x\ncancel y\n");
    BOOST_TEST(writtenOut("scenario s\ntasks a b\n") == "scenario s\ntask a\ntask b\n");
}

BOOST_AUTO_TEST_CASE(a_repeat_that_is_wrong_is_refused_with_its_line) {
    BOOST_TEST(writtenOut("repeat i 1 to 2\ntask x\n") == "repeat i 1 to 2: there is no end");
    BOOST_TEST(writtenOut("task x\nend\n") == "an end has no repeat");
    BOOST_TEST(writtenOut("scenario s\ntask x{j}\n") ==
               "task x{j}: neither a number nor a name that is repeated: j");
    BOOST_TEST(writtenOut("scenario s\ntask x{1/0}\n") == "task x{1/0}: division by 0: 1/0");
    BOOST_TEST(writtenOut("scenario s\ntask x{1 2}\n") == "task x{1 2}: not an expression: 1 2");
    BOOST_TEST(writtenOut("scenario s\ntask x{1\n") == "task x{1: a { has no }");
    for (const char* const head : {"repeat", "repeat i", "repeat i 1", "repeat i 1 2",
                                   "repeat in 1", "repeat i j in 1 2 3", "repeat i 1 to 2 3"}) {
        BOOST_TEST(writtenOut(std::string(head) + "\nend\n") ==
                   std::string(head) +
                       ": expected: repeat NAME 1 to 9, or repeat NAME... in 1 2 3");
    }
    BOOST_TEST(writtenOut("repeat i in 1 to 2x\ntask {i-1}\nend\n") ==
               "task {i-1}: not a number: to");
    BOOST_TEST(writtenOut("repeat i 1 to x\nend\n") == "repeat i 1 to x: not a number: x");
}

BOOST_AUTO_TEST_CASE(a_scenario_is_reduced_to_what_makes_the_difference_and_to_what_waits) {
    const Scenario scenario = oracle::randomScenario(1, 9);
    const oracle::Program before = oracle::parse(scenario);
    const auto purge = std::find_if(before.ops.begin(), before.ops.end(), [](const auto& op) {
        return op.verb == "purge" || op.verb == "cancel";
    });
    BOOST_REQUIRE((purge != before.ops.end()));
    int questions = 0;
    const Scenario reduced =
        oracle::shortest(scenario, [&](const std::vector<Scenario>& candidates) {
            ++questions;
            std::vector<bool> differ;
            for (const Scenario& s : candidates) differ.push_back(has(s, purge->text));
            return differ;
        });
    BOOST_TEST(has(reduced, purge->text));
    BOOST_TEST(reduced.lines.size() < scenario.lines.size());
    BOOST_TEST(questions < 20);
    for (const oracle::Op& op : oracle::parse(reduced).ops) {
        const bool waits = op.verb == "held" || op.verb == "release" || op.verb == "join";
        const bool scaffold = op.verb == "timer" || op.verb == "schedule";
        BOOST_CHECK_MESSAGE(waits || scaffold || op.text == purge->text, op.text);
    }
}

BOOST_AUTO_TEST_CASE(a_scenario_that_no_longer_differs_is_left_as_it_is) {
    const Scenario scenario = oracle::randomScenario(1, 9);
    const Scenario reduced =
        oracle::shortest(scenario, [](const std::vector<Scenario>& candidates) {
            return std::vector<bool>(candidates.size(), false);
        });
    BOOST_TEST((reduced.lines == scenario.lines));
}

BOOST_AUTO_TEST_CASE(a_random_scenario_is_the_same_each_time_and_others_are_different) {
    BOOST_TEST((oracle::randomScenario(7, 3).lines == oracle::randomScenario(7, 3).lines));
    std::set<std::vector<std::string>> all;
    for (const Scenario& scenario : oracle::randomScenarios(7, 200)) all.insert(scenario.lines);
    BOOST_TEST(all.size() == 200U);
}
