// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

// Who is measured, and what is measured.

namespace runner {

struct Peer {
    std::string name;
    std::string title;
    bool java = false;
    bool threaded = true;
    bool cancels = true;
    bool purges = false;
    std::string only = {};  // the one workload that this peer is for; empty: all
};

extern const std::string kJtimer;
extern const std::string kJdk;  // what everything is compared with

const std::vector<Peer>& allPeers();
const Peer* findPeer(const std::string& name);

/// What one process plays. Its parameter is "mode size".
struct Step {
    std::string workload;
    std::string mode;
    std::int64_t size = 0;
    int producers = 1;
    bool purges = false;
    bool growth = false;  // how the cost grows: only for jtimer and for its model

    std::string sizeText() const;
    std::string parameter() const { return mode + ' ' + sizeText(); }
};

const std::vector<std::string>& allWorkloads();

/// In quick steps there is a hundredth to do.
std::vector<Step> makeSteps(bool quick);

/// W1 and W2 are one step.
std::string stepOf(const std::string& workload);

bool canPlay(const Peer& peer, const Step& step);

}  // namespace runner
