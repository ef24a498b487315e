// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "run_schedule/command.hpp"

#include <boost/test/unit_test.hpp>

#include <csignal>
#include <string>
#include <string_view>

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
#include <sys/prctl.h>

BOOST_AUTO_TEST_CASE(processes_that_have_ended_are_not_waited_for_though_nobody_reaps_them) {
    // Orphans come to this process instead of init. It does not reap them, as in a container.
    BOOST_REQUIRE(::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
    CommandRunner runner;
    const std::string failure =
        runner.run(Command{"sleep 1000 & echo begun; wait", "/bin/sh", ownEnvironment()},
                   [&](std::string_view line) {
                       BOOST_TEST(line == "begun");
                       runner.end(SIGTERM);
                   });
    BOOST_TEST(failure == "ended by run_schedule: killed by signal 15 (Terminated)");
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
    const std::string failure =
        runner.run(commandOf("{ trap '' TERM; echo begun; sleep 0.2; echo last; } & wait"),
                   [&](std::string_view line) {
                       lines.append(line).append(" ");
                       runner.end(SIGTERM);
                   });
    BOOST_TEST(failure == "ended by run_schedule: killed by signal 15 (Terminated)");
    BOOST_TEST(lines == "begun last ");
}
