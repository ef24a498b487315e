// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// bench_peers: measures jtimer beside other timers, in alternating rounds, and reports. See
// doc/benchmarks.md.

#include "runner_measure.hpp"
#include "runner_pictures.hpp"
#include "runner_plan.hpp"
#include "runner_report.hpp"

#include <boost/program_options.hpp>

#include <algorithm>
#include <exception>
#include <iostream>
#include <sstream>
#include <stdexcept>

namespace {

namespace options = boost::program_options;

struct Arguments {
    runner::Measuring measuring;
    std::string gnuplot;
    std::string goals;
    std::string write;
    bool reportOnly = false;
};

std::set<std::string> listOf(const std::string& text) {
    std::set<std::string> names;
    std::istringstream input(text);
    for (std::string name; std::getline(input, name, ',');) names.insert(name);
    return names;
}

void checkNames(const runner::Measuring& measuring) {
    const auto& workloads = runner::allWorkloads();
    for (const std::string& name : measuring.workloads)
        if (std::find(workloads.begin(), workloads.end(), name) == workloads.end())
            throw options::error("no such workload: " + name);
    for (const std::string& name : measuring.peers)
        if (runner::findPeer(name) == nullptr) throw options::error("no such peer: " + name);
    if (measuring.rounds < 1) throw options::error("at least one round");
}

// False: only help was asked for.
bool parse(int argc, char** argv, Arguments& arguments) {
    runner::Measuring& measuring = arguments.measuring;
    long limit = 0;
    std::string workloads;
    std::string peers;
    options::options_description all("bench_peers: jtimer beside other timers");
    auto add = all.add_options();
    add("help", "this text");
    add("rounds", options::value(&measuring.rounds)->default_value(8), "how often each is run");
    add("workloads", options::value(&workloads), "only these: W1,W4");
    add("peers", options::value(&peers), "only these: jtimer,jdk-timer");
    add("quick", options::bool_switch(&measuring.quick),
        "a hundredth of the work, to try the benchmarks out: the figures say nothing");
    add("limit", options::value(&limit)->default_value(120),
        "seconds after which a process is ended, and not tried again");
    add("report-only", options::bool_switch(&arguments.reportOnly),
        "report what raw.tsv in the folder holds");
    add("write", options::value(&arguments.write),
        "write the report into benchmarks.md in this folder, and draw pictures in benchmarks/");
    add("dir", options::value(&measuring.dir)->default_value("build/bench-peers"),
        "where the peers' programs are, and where raw.tsv goes");
    add("java", options::value(&measuring.java)->default_value("java"), "the program");
    add("gnuplot", options::value(&arguments.gnuplot)->default_value("gnuplot"), "the program");
    add("goals", options::value(&arguments.goals)->default_value("test/bench/peers/goals.tsv"),
        "the ratios to the JDK's timer that are aimed at");
    options::variables_map given;
    options::store(options::parse_command_line(argc, argv, all), given);
    if (given.count("help") != 0) {
        std::cout << all;
        return false;
    }
    options::notify(given);
    measuring.limit = std::chrono::seconds(limit);
    measuring.workloads = listOf(workloads);
    measuring.peers = listOf(peers);
    checkNames(measuring);
    return true;
}

// Less than everything, or than eight rounds, does not go into the documentation.
bool isWhole(const runner::Results& results) {
    for (const auto& fact : results.facts()) {
        if (fact.first != "command") continue;
        const std::string key = "ROUNDS=";
        const std::size_t rounds = fact.second.find(key) + key.size();
        return fact.second.find(' ', rounds) == std::string::npos &&
               std::stoi(fact.second.substr(rounds)) >= 8;
    }
    return false;
}

void run(const Arguments& arguments) {
    const std::string& dir = arguments.measuring.dir;
    const std::string raw = dir + "/raw.tsv";
    runner::Results results;
    if (arguments.reportOnly) {
        results = runner::readResults(raw);
    } else {
        runner::Recorder recorder(results, raw);
        runner::measure(arguments.measuring, recorder);
    }
    runner::print(std::cout, results);
    const auto draw = [&](const std::string& folder) {
        return runner::drawPictures(results, folder, arguments.gnuplot, dir);
    };
    if (arguments.write.empty()) {
        draw(dir + "/pictures");
        return;
    }
    if (!isWhole(results))
        throw std::runtime_error(raw + " is not of a whole run: nothing written");
    std::vector<std::string> pictures = draw(arguments.write + "/benchmarks");
    for (std::string& picture : pictures) picture.insert(0, "benchmarks/");
    runner::writePage(arguments.write + "/benchmarks.md", results,
                      runner::readGoals(arguments.goals), pictures);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        Arguments arguments;
        if (parse(argc, argv, arguments)) run(arguments);
        return 0;
    } catch (const options::error& e) {
        std::cerr << "bench_peers: " << e.what() << "; see --help\n";
        return 2;
    } catch (const std::exception& e) {
        std::cerr << "bench_peers: " << e.what() << '\n';
        return 1;
    }
}
