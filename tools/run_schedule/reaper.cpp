// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "reaper.hpp"

#include <cerrno>
#include <csignal>
#include <optional>
#include <system_error>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

bool getsOrphans() {
    int isSubreaper = 0;
    return ::getpid() == 1 ||
           (::prctl(PR_GET_CHILD_SUBREAPER, &isSubreaper) == 0 && isSubreaper == 1);
}

/// The parent's part. Nothing of it needs a handler, as all signals are blocked.
class Reaper {
  public:
    /// \param group the process group of the terminal's foreground, if it is ours
    Reaper(pid_t child, std::optional<pid_t> group) : child_(child), group_(group) {}

    [[noreturn]] void run() {
        sigset_t all;
        sigfillset(&all);
        for (;;) {
            // Signals that come while one is pending are merged, so one may stand for many ends.
            while (reapOne()) {
            }
            const int signal = sigwaitinfo(&all, nullptr);
            if (signal > 0 && signal != SIGCHLD) ::kill(child_, signal);
        }
    }

  private:
    bool reapOne() const {
        int status = 0;
        const pid_t pid = ::waitpid(-1, &status, WNOHANG);
        if (pid == child_) exitLike(status);
        return pid > 0;
    }

    [[noreturn]] void exitLike(int status) const {
        // A script that has started us goes on in the foreground.
        if (group_) ::tcsetpgrp(STDIN_FILENO, *group_);
        ::_exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
    }

    const pid_t child_;
    const std::optional<pid_t> group_;
};

/// The child's part: it has a process group of its own, so that a Ctrl-C reaches it once, and not
/// through its parent as well.
void leadGroup(bool isInForeground, pid_t parent) {
    ::setpgid(0, 0);
    if (isInForeground) ::tcsetpgrp(STDIN_FILENO, ::getpid());  // SIGTTOU is blocked
    // No shell could continue it.
    std::signal(SIGTSTP, SIG_IGN);
    // As if there was one process: SIGKILL ends both.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(128 + SIGKILL);
}

}  // namespace

void leaveOrphansToParent() {
    if (!getsOrphans()) return;
    std::signal(SIGCHLD, SIG_DFL);  // if it were ignored, waitpid() would tell no exit status
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    const pid_t group = ::getpgrp(), parent = ::getpid();
    const bool isInForeground = ::tcgetpgrp(STDIN_FILENO) == group;
    const pid_t child = ::fork();
    if (child < 0) throw std::system_error(errno, std::generic_category(), "cannot be started");
    if (child > 0) Reaper(child, isInForeground ? std::optional(group) : std::nullopt).run();
    leadGroup(isInForeground, parent);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}
