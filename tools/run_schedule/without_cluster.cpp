// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// Stands in run_schedule, the program without PostgreSQL's client library; see cluster.hpp.

#include "cluster.hpp"

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <stdexcept>
#include <string>

#include <unistd.h>

void becomeClusterProgram(char** argv) {
    std::array<char, PATH_MAX> self{};
    const ssize_t length = ::readlink("/proc/self/exe", self.data(), self.size() - 1);
    const std::string path(self.data(), static_cast<std::size_t>(length < 0 ? 0 : length));
    const std::string program = path.substr(0, path.rfind('/') + 1) + "run_schedule-cluster";
    ::execv(program.c_str(), argv);
    throw std::runtime_error("run_schedule: --cluster needs " + program + ": " +
                             std::strerror(errno) +
                             ": the package jtimer-cluster-tools or `make install-cluster` "
                             "installs it, `make cluster` builds it");
}

namespace {

[[noreturn]] void refuse() { throw std::logic_error("run_schedule has no cluster"); }

}  // namespace

std::string listTasks(const Options&) { refuse(); }

std::string revive(const Options&) { refuse(); }

std::string prune(const Options&, const std::vector<Entry>&) { refuse(); }

void checkForCluster(const std::vector<Entry>&) { refuse(); }

std::shared_ptr<OtherPages> makeClusterPages(const Options&, const http::Address&) { refuse(); }

std::unique_ptr<SchedulePlayer> makeClusterPlayer(
    const Options&, Ledger&,
    SchedulePlayer::Actions) {  // NOLINT(performance-unnecessary-value-param): the other moves it
    refuse();
}
