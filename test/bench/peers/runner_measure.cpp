// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "runner_measure.hpp"

#include "runner_facts.hpp"
#include "runner_plan.hpp"
#include "runner_process.hpp"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <sstream>
#include <stdexcept>

namespace runner {

namespace {

// A line on stderr, rewritten in place on a terminal.
class Progress {
  public:
    explicit Progress(std::size_t all) : all_(all), terminal_(isatty(STDERR_FILENO) == 1) {}
    ~Progress() {
        if (terminal_) std::cerr << '\n';
    }

    void next(const Step& step, int round, const std::string& peer) {
        using std::chrono::duration_cast;
        using std::chrono::minutes;
        const auto elapsed = std::chrono::steady_clock::now() - begin_;
        std::ostringstream line;
        line << "bench-peers: " << ++done_ << " of " << all_ << ", "
             << duration_cast<minutes>(elapsed).count() << " min: " << step.workload << ' '
             << step.parameter() << ", round " << round << ", " << peer;
        // "\x1b[K": what the line before was longer by, goes.
        if (terminal_)
            std::cerr << '\r' << line.str() << "\x1b[K" << std::flush;
        else
            std::cerr << line.str() << std::endl;
    }

  private:
    std::size_t all_;
    std::size_t done_ = 0;
    bool terminal_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

class Session {
  public:
    Session(const Measuring& measuring, Recorder& recorder)
        : measuring_(measuring), recorder_(recorder) {}

    void run() {
        for (const auto& fact : findFacts()) recorder_.fact(fact.first, fact.second);
        findPeers();
        recorder_.fact("command", commandText());
        const std::vector<Step> steps = chosenSteps();
        Progress progress(count(steps));
        for (const Step& step : steps)
            for (int round = 1; round <= measuring_.rounds; ++round)
                for (const Peer* peer : peers_)
                    if (canPlay(*peer, step)) {
                        progress.next(step, round, peer->name);
                        play(*peer, step, round);
                    }
    }

  private:
    std::vector<std::string> commandOf(const Peer& peer) const {
        // The heap has its size from the start: growing it is not what is measured.
        if (peer.java)
            return {measuring_.java,
                    "-XX:InitialRAMPercentage=20",
                    "-XX:MaxRAMPercentage=60",
                    "-cp",
                    measuring_.dir,
                    "TimerPeers",
                    peer.name};
        std::string program = peer.name;
        std::replace(program.begin(), program.end(), '-', '_');
        return {measuring_.dir + '/' + program + "_peer"};
    }

    Outcome call(const Peer& peer, const std::vector<std::string>& arguments) const {
        std::vector<std::string> command = commandOf(peer);
        command.insert(command.end(), arguments.begin(), arguments.end());
        return runProgram(command, measuring_.limit, measuring_.dir + "/errors.log");
    }

    void findPeers() {
        std::string missing;
        for (const Peer& peer : allPeers()) {
            if (!measuring_.peers.empty() && measuring_.peers.count(peer.name) == 0) continue;
            Outcome outcome = call(peer, {"--version"});
            std::string& version = outcome.output;
            version.erase(std::min(version.find('\n'), version.size()));
            if (outcome.trouble.empty() && !version.empty()) {
                peers_.push_back(&peer);
                recorder_.fact(peer.title, version);
            } else if (peer.only.empty() || !measuring_.peers.empty()) {
                missing += (missing.empty() ? "" : ", ") + peer.title;
            }
        }
        if (peers_.empty()) throw std::runtime_error("no peer is built in " + measuring_.dir);
        if (missing.empty()) return;
        recorder_.fact("left out, not here", missing);
        std::cerr << "bench-peers: left out, not here: " << missing << '\n';
    }

    std::string commandText() const {
        std::string text = "make bench-peers ROUNDS=" + std::to_string(measuring_.rounds);
        if (measuring_.quick) text += " QUICK=1";
        for (const std::string& workload : measuring_.workloads)
            text += (workload == *measuring_.workloads.begin() ? " WORKLOADS=" : ",") + workload;
        for (const std::string& peer : measuring_.peers)
            text += (peer == *measuring_.peers.begin() ? " PEERS=" : ",") + peer;
        return text;
    }

    std::vector<Step> chosenSteps() const {
        std::set<std::string> chosen;
        for (const std::string& workload : measuring_.workloads) chosen.insert(stepOf(workload));
        std::vector<Step> steps = makeSteps(measuring_.quick);
        if (!chosen.empty()) {
            const auto others = [&](const Step& step) { return chosen.count(step.workload) == 0; };
            steps.erase(std::remove_if(steps.begin(), steps.end(), others), steps.end());
        }
        return steps;
    }

    std::size_t count(const std::vector<Step>& steps) const {
        std::size_t all = 0;
        for (const Step& step : steps)
            for (const Peer* peer : peers_)
                if (canPlay(*peer, step)) all += static_cast<std::size_t>(measuring_.rounds);
        return all;
    }

    void play(const Peer& peer, const Step& step, int round) {
        const std::string key = peer.name + ' ' + step.workload + ' ' + step.parameter();
        if (givenUp_.count(key) != 0) return;
        std::vector<std::string> arguments{step.workload, step.mode, step.sizeText()};
        if (measuring_.quick) arguments.emplace_back("--quick");
        const Outcome outcome = call(peer, arguments);
        if (!outcome.trouble.empty()) {
            givenUp_.insert(key);
            recorder_.trouble(round, peer.name, step.workload, step.parameter(), outcome.trouble);
            return;
        }
        std::istringstream output(outcome.output);
        for (std::string text; std::getline(output, text);) {
            const auto words = splitAtTabs(text);
            if (words.size() != 4) throw std::runtime_error(key + ": what is this? " + text);
            recorder_.value(round, peer.name, {words[0], words[1], words[2]}, std::stod(words[3]));
        }
    }

    const Measuring& measuring_;
    Recorder& recorder_;
    std::vector<const Peer*> peers_;
    std::set<std::string> givenUp_;  // steps that failed or took too long: not tried again
};

}  // namespace

void measure(const Measuring& measuring, Recorder& recorder) { Session(measuring, recorder).run(); }

}  // namespace runner
