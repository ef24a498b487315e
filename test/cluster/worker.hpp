// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <boost/test/unit_test.hpp>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

extern char** environ;

namespace test {

/// This very program, started again to be the child NAME of a CHILD_PROCESS, or another one, with
/// `settings` of the form NAME=VALUE in its environment. Its standard input ends when end() is
/// called or this process is gone, however: see awaitEnd().
class Worker {
  public:
    Worker(std::string name, const std::vector<std::string>& settings,
           std::string program = boost::unit_test::framework::master_test_suite().argv[0]) {
        int ends[2];
        if (::pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
        input_ = ends[1];
        ::fcntl(input_, F_SETFD, FD_CLOEXEC);
        std::string silent = "--log_level=nothing";
        std::string separator = "--";
        char* const arguments[] = {program.data(), silent.data(), separator.data(), name.data(),
                                   nullptr};
        std::vector<std::string> strings = settings;
        std::vector<char*> environment;
        for (std::string& setting : strings) environment.push_back(setting.data());
        for (char** each = environ; *each != nullptr; ++each) environment.push_back(*each);
        environment.push_back(nullptr);
        posix_spawn_file_actions_t actions;
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
        ::posix_spawn_file_actions_addclose(&actions, ends[0]);
        const int error = ::posix_spawnp(&pid_, program.c_str(), &actions, nullptr, arguments,
                                         environment.data());
        ::posix_spawn_file_actions_destroy(&actions);
        ::close(ends[0]);
        if (error != 0) throw std::system_error(error, std::generic_category(), program);
    }
    Worker(Worker&& other) noexcept
        : pid_(std::exchange(other.pid_, 0)), input_(std::exchange(other.input_, -1)) {}
    Worker& operator=(Worker&& other) noexcept {
        std::swap(pid_, other.pid_);
        std::swap(input_, other.input_);
        return *this;
    }
    ~Worker() {
        if (pid_ == 0) return;
        signal(SIGKILL);
        end();
    }

    pid_t pid() const { return pid_; }
    void signal(int number) const { ::kill(pid_, number); }

    /// Whether it has ended by itself.
    bool isOver() const {
        siginfo_t info{};
        return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
               info.si_pid != 0;
    }

    /// \returns the exit code; minus the signal's number if one has ended it
    int end() {
        ::close(input_);
        int status = 0;
        while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
        pid_ = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }

  private:
    pid_t pid_ = 0;
    int input_ = -1;
};

/// In a Worker: until it is to end.
inline void awaitEnd() {
    char byte = 0;
    while (::read(STDIN_FILENO, &byte, 1) != 0) continue;
}

inline std::string setting(const char* name, const char* otherwise = "") {
    const char* const value = std::getenv(name);
    return value == nullptr || *value == '\0' ? otherwise : value;
}

}  // namespace test
