// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "calls.hpp"
#include "firings.hpp"
#include "peer.hpp"
#include "pending.hpp"

#include <cstring>
#include <exception>

// The workloads of doc/benchmarks.md, told once for all C++ peers; TimerPeers.java and its files
// tell the same.

namespace peers {

template <class Adapter>
void play(const Setup& setup) {
    if (setup.workload == "W1") return ScheduleAndCancel<Adapter>(setup).run();
    if (setup.workload == "W4") return Burst<Adapter>(setup).run();
    if (setup.workload == "W5") return measureLateness<Adapter>(setup);
    if (setup.workload == "W6") return measureMemory<Adapter>(setup);
    if (setup.workload == "W7") return measureIdleness<Adapter>(setup);
    if (setup.workload == "W8") return measureFixedRate<Adapter>(setup);
    if constexpr (Adapter::kCancels) {
        if (setup.workload == "W3") return Producers<Adapter>(setup).run();
        if (setup.workload == "W9") return CancelledHeads<Adapter>(setup).run();
    }
    if constexpr (Adapter::kResets) {
        if (setup.workload == "W10") return Restarts<Adapter>(setup).run();
    }
    if constexpr (Adapter::kSleeps) {
        if (setup.workload == "W11") return Extensions<Adapter>(setup).run();
    }
    throw std::runtime_error("no such workload: " + setup.workload);
}

/// The peer's version and the compiler's.
inline std::string withCompiler(const std::string& version) {
#ifdef __clang__
    return version + ", Clang " __clang_version__;
#else
    return version + ", GCC " __VERSION__;
#endif
}

template <class Adapter>
int runPeer(int argc, char** argv) {
    if (argc == 2 && std::strcmp(argv[1], "--version") == 0) {
        std::cout << withCompiler(Adapter::version()) << '\n';
        return 0;
    }
    const bool quick = argc == 5 && std::strcmp(argv[4], "--quick") == 0;
    if (argc != 4 && !quick) {
        std::cerr << "Usage: " << argv[0] << " --version | WORKLOAD MODE SIZE [--quick]\n";
        return 2;
    }
    const Setup setup{argv[1], argv[2], argv[3], quick};
    try {
        play<Adapter>(setup);
    } catch (const std::exception& e) {
        std::cerr << argv[0] << ": " << e.what() << '\n';
        return 1;
    }
    std::cout.flush();
    std::_Exit(0);
}

}  // namespace peers
