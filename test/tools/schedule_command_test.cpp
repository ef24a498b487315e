// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "run_schedule/command.hpp"
#include "run_schedule/process.hpp"
#include "support/abilities.hpp"
#include "text/utf8.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <csignal>
#include <string>
#include <string_view>
#include <system_error>

#include <sys/wait.h>

namespace {

Command commandOf(const std::string& script) {
    Command command;
    command.script = script;
    command.environment = ownEnvironment();
    return command;
}

}  // namespace

#if defined(__linux__)
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

BOOST_AUTO_TEST_CASE(r37_a_command_inherits_no_descriptor_above_2) {
#if defined(SYS_close_range)
    const bool canClose = ::syscall(SYS_close_range, ~0U, ~0U, 4) == 0;  // since Linux 5.11
#else
    const bool canClose = false;
#endif
    const FileDescriptor inherited(::open("/dev/null", O_RDONLY));  // not close-on-exec
    const FileDescriptor own(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    BOOST_REQUIRE(own.get() > 2);
    std::string descriptors;
    CommandRunner().run(commandOf("ls /proc/$$/fd; true"), {},
                        [&](std::string_view line) { descriptors.append(line).append(" "); });
    if (canClose) {
        BOOST_TEST(descriptors == "0 1 2 ");
    } else {
        BOOST_TEST_MESSAGE("not run: what was inherited stays open before Linux 5.11");
    }
}

BOOST_AUTO_TEST_CASE(processes_that_have_ended_are_not_waited_for_though_nobody_reaps_them) {
    // Orphans come to this process instead of init. It does not reap them, as in a container.
    if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) test::skipCase("PR_SET_CHILD_SUBREAPER");
    CommandRunner runner;
    const Ending ending =
        runner.run(commandOf("sleep 1000 & echo begun; wait"), {}, [&](std::string_view line) {
            BOOST_TEST(line == "begun");
            runner.end(SIGTERM);
        });
    BOOST_TEST(ending.failure == "ended by run_schedule: killed by signal 15 (Terminated)");
    int status = 0;
    BOOST_TEST(::waitpid(-1, &status, 0) > 0);
    BOOST_TEST(WTERMSIG(status) == SIGTERM);
    BOOST_REQUIRE(::prctl(PR_SET_CHILD_SUBREAPER, 0) == 0);
}
#endif

BOOST_AUTO_TEST_CASE(a_process_of_the_group_that_goes_on_is_waited_for) {
    CommandRunner runner;
    std::string lines;
    // The shell ends by the signal; the other process ignores it, and ends later by itself.
    const Ending ending =
        runner.run(commandOf("{ trap '' TERM; echo begun; sleep 0.2; echo last; } & wait"), {},
                   [&](std::string_view line) {
                       lines.append(line).append(" ");
                       runner.end(SIGTERM);
                   });
    BOOST_TEST(ending.failure == "ended by run_schedule: killed by signal 15 (Terminated)");
    BOOST_TEST(lines == "begun last ");
}

BOOST_AUTO_TEST_CASE(r17_a_command_that_takes_too_long_gets_sigterm_and_after_the_grace_sigkill) {
    const auto linesOf = [](const std::string& script, Ending& ending) {
        std::string lines;
        ending = CommandRunner().run(
            commandOf(script), {std::chrono::milliseconds(100), std::chrono::milliseconds(100)},
            [&](std::string_view line) { lines.append(line).append(" "); });
        return lines;
    };
    Ending ending;
    BOOST_TEST(linesOf("trap 'echo term; exit 0' TERM; echo begun; sleep 1000 & wait", ending) ==
               "begun term ");
    BOOST_TEST(ending.timedOut);
    BOOST_TEST(ending.failure == "timed out after 100ms");
    BOOST_TEST(ending.status == 0);
    BOOST_TEST(linesOf("trap '' TERM; echo begun; sleep 1000; sleep 1000", ending) == "begun ");
    BOOST_TEST(ending.failure == "timed out after 100ms");
    BOOST_TEST(ending.status == 128 + SIGKILL);
    // The rest of its group, too.
    BOOST_TEST(linesOf("(trap '' TERM; echo begun; sleep 1000; sleep 1000) & wait", ending) ==
               "begun ");
    BOOST_TEST(ending.status == 128 + SIGTERM);
    BOOST_TEST(linesOf("echo quick; exit 3", ending) == "quick ");
    BOOST_TEST(!ending.timedOut);
    BOOST_TEST(ending.failure == "exit status 3");
    BOOST_TEST(ending.status == 3);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_started_says_what_was_refused) {
    const auto errorOf = [](const Command& command) {
        try {
            CommandRunner().run(command, {}, [](std::string_view) {});
            return std::string("none");
        } catch (const std::system_error& e) {
            return std::string(e.what());
        }
    };
    Command command = commandOf("true");
    BOOST_TEST(errorOf(command) == "none");
    command.folder = "/no/folder";
    BOOST_TEST(errorOf(command) == "cannot be started in /no/folder: No such file or directory");
    command = commandOf("true");
    command.shell = "/no/shell";
    BOOST_TEST(errorOf(command) == "cannot be started by /no/shell: No such file or directory");
}

BOOST_AUTO_TEST_CASE(r28_standard_error_may_have_a_pipe_of_its_own) {
    std::string output, error;
    const auto into = [](std::string& lines) {
        return [&lines](std::string_view line) { lines.append(line).append(" "); };
    };
    const Ending ending = CommandRunner().run(
        commandOf("echo one; echo two >&2; echo three; printf four >&2; kill -9 $$"), {},
        into(output), into(error));
    BOOST_TEST(output == "one three ");
    BOOST_TEST(error == "two four ");
    BOOST_TEST(ending.signal == SIGKILL);
    BOOST_TEST(ending.status == 128 + SIGKILL);
    // A process in the background keeps both pipes, and is not waited for.
    CommandRunner().run(
        commandOf("sleep 1000 & echo $!; echo five >&2"), {},
        [](std::string_view pid) { ::kill(std::stoi(std::string(pid)), SIGTERM); }, into(error));
    BOOST_TEST(error == "two four five ");
}

BOOST_AUTO_TEST_CASE(r28_a_long_line_is_cut_between_characters) {
    std::string pieces;
    const OnLine onLine = [&pieces](std::string_view line) {
        pieces.append(std::to_string(line.size())).append(isPrintable(line) ? " " : "! ");
    };
    // 65,535 bytes, and then characters of two.
    CommandRunner().run(commandOf("printf '%65535s' | tr ' ' x; printf '\xC3\xA4%.0s' $(seq 10)"),
                        {}, onLine);
    BOOST_TEST(pieces == "65537 18 ");
    pieces.clear();
    // Nothing but bytes that continue a character.
    CommandRunner().run(commandOf("head -c 70000 /dev/zero | tr '\\0' '\\277'"), {}, onLine);
    BOOST_TEST(pieces == "65539! 4461! ");
}
