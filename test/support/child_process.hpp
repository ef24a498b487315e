// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "support/forked_child.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <unistd.h>
#include <vector>
#if defined(_WIN32)
#include <cerrno>
#include <process.h>
#else
#include <spawn.h>

extern char** environ;
#endif

/// Tests that need a process of their own. A child is a function beside the test cases,
///
///     CHILD_PROCESS(says_hello) { test::print("hello\n"); }
///
/// and test::runChild("says_hello") starts this very program again to run nothing else, so that it
/// finds a fresh process. When the function returns, the child exits as it would at the end of
/// main(): static objects are destroyed, and the exit code is 0 unless somebody has another idea.
#define CHILD_PROCESS(name)                                                                        \
    static void child_##name();                                                                    \
    static const test::detail::ChildRegistration registration_##name(#name, child_##name);         \
    static void child_##name()

namespace test {

struct ChildResult {
    int exitCode = 0;  ///< minus the signal's number, if a signal has ended it
    std::string out;
    std::string err;
};

/// Writes to the standard output without a buffer, which a process that is cut off would lose.
inline void print(const std::string& text) {
    const auto size = static_cast<unsigned>(text.size());
    if (::write(STDOUT_FILENO, text.data(), size) < 0) std::abort();
}

namespace detail {

using Children = std::map<std::string, void (*)()>;

inline Children& children() {
    static Children children;
    return children;
}

struct ChildRegistration {
    ChildRegistration(const char* name, void (*child)()) { children().emplace(name, child); }
};

/// Takes over inside of main() if this process is a child.
struct ChildMain {
    ChildMain() {
        const auto& suite = boost::unit_test::framework::master_test_suite();
        if (suite.argc != 2) return;
        children().at(suite.argv[1])();
        std::exit(EXIT_SUCCESS);
    }
};

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

inline File temporaryFile() {
    File file(std::tmpfile(), std::fclose);
    if (file == nullptr) throw std::runtime_error("no temporary file for a child's output");
    return file;
}

inline std::string contentsOf(std::FILE* file) {
    std::rewind(file);
    std::string text;
    for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) {
        if (c != '\r') text += static_cast<char>(c);  // Windows ends lines with it
    }
    return text;
}

#if defined(_WIN32)

/// Has the processes that start while it lives write a standard stream to a file.
class Redirected {
  public:
    Redirected(int stream, std::FILE* file) : stream_(stream), usual_(_dup(stream)) {
        _dup2(_fileno(file), stream);
    }
    Redirected(const Redirected&) = delete;
    Redirected& operator=(const Redirected&) = delete;
    ~Redirected() {
        _dup2(usual_, stream_);
        _close(usual_);
    }

  private:
    const int stream_, usual_;
};

inline int exitCodeOf(const std::string& program, const char* const* arguments, std::FILE* out,
                      std::FILE* err) {
    const Redirected first(STDOUT_FILENO, out), second(STDERR_FILENO, err);
    const std::intptr_t code = _spawnv(_P_WAIT, program.c_str(), arguments);
    if (code == -1) throw std::system_error(errno, std::generic_category(), program);
    return static_cast<int>(code);
}

#else

/// The words of EMULATOR, with which run_tests.sh runs programs of another processor.
inline std::vector<std::string> emulator() {
    const char* const command = std::getenv("EMULATOR");
    std::istringstream words(command == nullptr ? "" : command);
    return {std::istream_iterator<std::string>(words), std::istream_iterator<std::string>()};
}

inline int exitCodeOf(const std::string& program, char* const* arguments, std::FILE* out,
                      std::FILE* err) {
    std::vector<std::string> words = emulator();
    std::vector<char*> command;
    for (std::string& word : words) command.push_back(word.data());
    for (; *arguments != nullptr; ++arguments) command.push_back(*arguments);
    command.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(err), STDERR_FILENO);
    pid_t pid = 0;
    const int error = posix_spawnp(&pid, command[0], &actions, nullptr, command.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw std::system_error(error, std::generic_category(), program);
    return test::exitCodeOf(pid);
}

#endif

}  // namespace detail

using detail::ChildMain;
BOOST_TEST_GLOBAL_FIXTURE(ChildMain);

/// Runs the child to its end.
inline ChildResult runChild(std::string name) {
    const detail::File out = detail::temporaryFile();
    const detail::File err = detail::temporaryFile();
    std::string program = boost::unit_test::framework::master_test_suite().argv[0];
    std::string silent = "--log_level=nothing";  // also not "Running 7 test cases..."
    std::string separator = "--";
    char* const arguments[] = {program.data(), silent.data(), separator.data(), name.data(),
                               nullptr};
    ChildResult result;
    result.exitCode = detail::exitCodeOf(program, arguments, out.get(), err.get());
    result.out = detail::contentsOf(out.get());
    result.err = detail::contentsOf(err.get());
    return result;
}

}  // namespace test
