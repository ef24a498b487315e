// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include <fcntl.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

void check(int error) {
    if (error != 0) throw std::system_error(error, std::generic_category(), "cannot be started");
}

/// The settings for posix_spawn.
struct SpawnSettings {
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t files;

    SpawnSettings() {
        check(posix_spawnattr_init(&attributes));
        check(posix_spawn_file_actions_init(&files));
    }
    SpawnSettings(const SpawnSettings&) = delete;
    SpawnSettings& operator=(const SpawnSettings&) = delete;
    ~SpawnSettings() {
        posix_spawn_file_actions_destroy(&files);
        posix_spawnattr_destroy(&attributes);
    }

    void handOver(int from, int to) {
        if (from >= 0) {
            check(posix_spawn_file_actions_adddup2(&files, from, to));
        } else {
            check(posix_spawn_file_actions_addopen(&files, to, "/dev/null", O_RDWR, 0));
        }
    }
};

enum class Member { No, Alive, Dead };

/// \param process its folder in /proc
Member memberOf(pid_t group, const std::filesystem::path& process) {
    std::ifstream file(process / "stat");
    const std::string stat(std::istreambuf_iterator<char>(file), {});
    const std::size_t name = stat.rfind(')');  // a name may hold any character
    char state = 0;
    int itsGroup = 0;
    long threads = 0;
    if (name == std::string::npos ||
        std::sscanf(stat.c_str() + name + 1,
                    " %c %*d %d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld",
                    &state, &itsGroup, &threads) != 3 ||
        itsGroup != group) {
        return Member::No;
    }
    // Only the first of several threads may have ended.
    return (state == 'Z' || state == 'X') && threads <= 1 ? Member::Dead : Member::Alive;
}

}  // namespace

bool groupIsAlive(pid_t group) {
    if (::kill(-group, 0) != 0) return errno != ESRCH;
    bool dead = false;
    std::error_code error;  // without /proc, nothing is found
    std::filesystem::directory_iterator each("/proc", error);
    for (; each != std::filesystem::directory_iterator(); each.increment(error)) {
        const std::filesystem::path& process = each->path();
        const char first = process.filename().string().front();
        const Member member = first >= '0' && first <= '9' ? memberOf(group, process) : Member::No;
        if (member == Member::Alive) return true;
        dead = dead || member == Member::Dead;
    }
    return !dead || error;  // what was not seen may be alive
}

void FileDescriptor::close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
}

pid_t spawnShell(const std::string& script, int input, int output) {
    SpawnSettings settings;
    settings.handOver(input, STDIN_FILENO);
    settings.handOver(output, STDOUT_FILENO);
    settings.handOver(output, STDERR_FILENO);

    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    check(posix_spawnattr_setsigdefault(&settings.attributes, &all));
    check(posix_spawnattr_setsigmask(&settings.attributes, &none));
    check(posix_spawnattr_setpgroup(&settings.attributes, 0));
    check(posix_spawnattr_setflags(&settings.attributes, POSIX_SPAWN_SETSIGDEF |
                                                             POSIX_SPAWN_SETSIGMASK |
                                                             POSIX_SPAWN_SETPGROUP));

    std::string shell = "sh", option = "-c", text = script;
    const std::array<char*, 4> arguments{shell.data(), option.data(), text.data(), nullptr};
    pid_t pid = 0;
    check(posix_spawn(&pid, "/bin/sh", &settings.files, &settings.attributes, arguments.data(),
                      environ));
    return pid;
}

int openPidfd(pid_t pid) {
#if defined(SYS_pidfd_open)
    return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
#else
    static_cast<void>(pid);
    return -1;
#endif
}

void discardOutputOf(int pipe) {
    // `cat` runs in the background of a shell that exits at once, so that we need not wait for it.
    // Its input is passed as descriptor 3, since a shell gives background processes an empty input.
    const pid_t pid = spawnShell("exec 3<&0; cat <&3 3<&- &", pipe, -1);
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (status != 0) check(EAGAIN);  // the shell could not fork
}
