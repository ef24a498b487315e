// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "runner_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace runner {

namespace {

[[noreturn]] void fail(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

[[noreturn]] void becomeChild(const std::vector<std::string>& command, int output,
                              const std::string& errorFile) {
    const int errors = open(errorFile.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (errors >= 0) dup2(errors, STDERR_FILENO);
    dup2(output, STDOUT_FILENO);
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    _exit(127);
}

// False: the limit was reached.
bool readAll(int input, std::chrono::steady_clock::time_point limit, std::string& output) {
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            limit - std::chrono::steady_clock::now());
        if (left.count() <= 0) return false;
        pollfd waiting{input, POLLIN, 0};
        const int ready = poll(&waiting, 1, static_cast<int>(left.count()) + 1);
        if (ready < 0 && errno != EINTR) fail("poll");
        if (ready <= 0) continue;
        char buffer[4096];
        const ssize_t size = read(input, buffer, sizeof buffer);
        if (size < 0 && errno != EINTR) fail("read");
        if (size == 0) return true;
        if (size > 0) output.append(buffer, static_cast<std::size_t>(size));
    }
}

}  // namespace

Outcome runProgram(const std::vector<std::string>& command, std::chrono::seconds limit,
                   const std::string& errorFile) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) fail("pipe");
    const pid_t child = fork();
    if (child < 0) fail("fork");
    if (child == 0) becomeChild(command, ends[1], errorFile);
    close(ends[1]);
    Outcome outcome;
    const bool ended = readAll(ends[0], std::chrono::steady_clock::now() + limit, outcome.output);
    close(ends[0]);
    if (!ended) kill(child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) fail("waitpid");
    if (!ended)
        outcome.trouble = "over " + std::to_string(limit.count()) + " s";
    else if (WIFSIGNALED(status))
        outcome.trouble = strsignal(WTERMSIG(status));
    else if (WEXITSTATUS(status) != 0)
        outcome.trouble = "failed with " + std::to_string(WEXITSTATUS(status));
    return outcome;
}

}  // namespace runner
