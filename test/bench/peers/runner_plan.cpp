// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "runner_plan.hpp"

#include <algorithm>

namespace runner {

const std::string kJtimer = "jtimer";
const std::string kJdk = "jdk-timer";

const std::vector<Peer>& allPeers() {
    static const std::vector<Peer> all = [] {
        Peer jtimer{kJtimer, "jtimer"};
        Peer tolerant{"jtimer-1ms", "jtimer, tolerance 1 ms"};
        Peer jdk{kJdk, "JDK Timer"};
        Peer executor{"jdk-executor", "JDK executor"};
        Peer boost{"boost-executor", "Boost executor"};
        Peer libuv{"libuv", "libuv"};
        jtimer.purges = tolerant.purges = jdk.purges = executor.purges = true;
        jdk.java = executor.java = true;
        tolerant.only = "W8";
        boost.cancels = false;
        libuv.threaded = false;
        return std::vector<Peer>{jtimer,           tolerant,         jdk,   executor,
                                 {"poco", "Poco"}, {"asio", "Asio"}, boost, libuv};
    }();
    return all;
}

const Peer* findPeer(const std::string& name) {
    const auto& all = allPeers();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Peer& peer) { return peer.name == name; });
    return found == all.end() ? nullptr : &*found;
}

std::string Step::sizeText() const {
    std::int64_t rest = size;
    int zeros = 0;
    for (; rest % 10 == 0; rest /= 10) ++zeros;
    return std::to_string(rest) + 'e' + std::to_string(zeros);
}

const std::vector<std::string>& allWorkloads() {
    static const std::vector<std::string> all{"W1", "W2", "W3", "W4", "W5", "W6", "W7", "W8"};
    return all;
}

std::vector<Step> makeSteps(bool quick) {
    std::vector<Step> steps;
    const auto add = [&](const char* workload, const char* mode, std::int64_t size) -> Step& {
        Step& step = steps.emplace_back();
        step.workload = workload;
        step.mode = mode;
        step.size = quick ? size / 100 : size;
        return step;
    };
    for (const std::int64_t size : {1'000, 100'000, 1'000'000, 10'000'000})
        add("W1", "random", size);
    add("W1", "ascending", 1'000'000);
    add("W1", "descending", 100'000);
    for (const std::int64_t pending : {1'000, 100'000, 1'000'000, 10'000'000})
        add("W3", "1-producer", pending).growth = pending != 100'000;
    add("W3", "2-producers", 100'000).producers = 2;
    add("W3", "4-producers", 100'000).producers = 4;
    add("W3", "1-producer+purge", 100'000).purges = true;
    add("W4", "same-moment", 1'000'000);
    add("W4", "backlog", 1'000'000);
    add("W5", "scattered", 10'000);
    add("W6", "pending", 1'000'000);
    add("W7", "pending", 100'000);
    add("W8", "every-10ms", 10'000);
    add("W8", "every-10ms", 100'000);
    return steps;
}

std::string stepOf(const std::string& workload) { return workload == "W2" ? "W1" : workload; }

bool canPlay(const Peer& peer, const Step& step) {
    if (!peer.only.empty() && peer.only != step.workload) return false;
    if (step.workload == "W3" && !peer.cancels) return false;
    if (step.producers > 1 && !peer.threaded) return false;
    if (step.purges && !peer.purges) return false;
    return !step.growth || peer.name == kJtimer || peer.name == kJdk;
}

}  // namespace runner
