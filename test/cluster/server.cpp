// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/server.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <grp.h>
#include <memory>
#include <pwd.h>
#include <spawn.h>
#include <stdexcept>
#include <sys/stat.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

extern char** environ;

namespace test {

namespace {

[[noreturn]] void fail(const std::string& what) {
    throw std::system_error(errno, std::generic_category(), what);
}

/// The folder of the server's programs, as build-aux/find-postgres knows it.
std::string findPrograms() {
    std::FILE* const pipe = ::popen("build-aux/find-postgres 2>&1", "r");
    if (pipe == nullptr) fail("popen");
    std::string line;
    for (int c = std::fgetc(pipe); c != EOF && c != '\n'; c = std::fgetc(pipe))
        line += static_cast<char>(c);
    if (::pclose(pipe) != 0) throw std::runtime_error(line);
    return line;
}

const passwd* unprivilegedUser() {
    for (const char* const name : {"postgres", "nobody"})
        if (const passwd* const user = ::getpwnam(name)) return user;
    throw std::runtime_error("no user `postgres' or `nobody' to run PostgreSQL as");
}

std::vector<char*> argumentsOf(std::vector<std::string>& command) {
    std::vector<char*> arguments;
    for (std::string& word : command) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    return arguments;
}

}  // namespace

Server::Server(Durable durable, const std::vector<std::string>& settings)
    : programs_(findPrograms()) {
    // Short, as a socket's path has 107 bytes. /tmp may be in memory, /var/tmp is on a disk.
    std::string folder =
        std::string(durable == Durable::Yes ? "/var/tmp" : "/tmp") + "/jtimer-server.XXXXXX";
    if (::mkdtemp(folder.data()) == nullptr) fail(folder);
    folder_ = folder;
    startWatcher();
    if (::getuid() == 0) {
        const passwd* const user = unprivilegedUser();
        if (::chown(folder_.c_str(), user->pw_uid, user->pw_gid) != 0) fail(folder_);
    }
    if (::chmod(folder_.c_str(), 0755) != 0) fail(folder_);  // NOLINT(*-signed-bitwise)
    conninfo_ = "host=" + folder_ + " user=jtimer dbname=postgres";
    run({programs_ + "/initdb", "-D", folder_ + "/data", "-U", "jtimer", "-A", "trust", "-E",
         "UTF8", "--locale=C", "-N"});
    std::ofstream configuration(folder_ + "/data/postgresql.conf", std::ios::app);
    configuration << "\nlisten_addresses = ''\nunix_socket_directories = '" << folder_ << "'\n"
                  << "max_connections = 200\nfsync = " << (durable == Durable::Yes ? "on" : "off")
                  << "\nshared_buffers = " << (durable == Durable::Yes ? "512MB\n" : "64MB\n");
    for (const std::string& setting : settings) configuration << setting << '\n';
    configuration.close();
    start();
}

Server::~Server() {
    ::close(watcherInput_);
    ::waitpid(watcher_, nullptr, 0);
}

void Server::start() { pgCtl({"start", "-l", folder_ + "/log"}); }

void Server::stop(Stop how) { pgCtl({"stop", "-m", how == Stop::Fast ? "fast" : "immediate"}); }

void Server::pgCtl(const std::vector<std::string>& arguments) const {
    std::vector<std::string> command{programs_ + "/pg_ctl", "-s", "-w", "-D", folder_ + "/data"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    run(std::move(command));
}

/// In a child, before exec.
void Server::becomeUnprivileged() const {
    if (::getuid() != 0) return;
    struct stat folder {};
    if (::stat(folder_.c_str(), &folder) != 0 || ::setgroups(0, nullptr) != 0 ||
        ::setgid(folder.st_gid) != 0 || ::setuid(folder.st_uid) != 0)
        ::_exit(126);
}

void Server::run(std::vector<std::string> command) const {
    const std::vector<char*> arguments = argumentsOf(command);
    const std::string output = folder_ + "/output";
    const pid_t pid = ::fork();
    if (pid < 0) fail("fork");
    if (pid == 0) {
        becomeUnprivileged();
        const int file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
        ::dup2(file, STDOUT_FILENO);
        ::dup2(file, STDERR_FILENO);
        // Nothing that a server inherits may keep another process's pipe open.
        for (int each = 3; each < 256; ++each) ::close(each);
        if (::chdir("/") == 0) ::execv(arguments[0], arguments.data());
        ::_exit(127);
    }
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) fail("waitpid");
    if (status == 0) return;
    std::string text = command[0] + " failed:";
    for (const std::string& file : {output, folder_ + "/log"}) {
        std::ifstream lines(file);
        for (std::string line; std::getline(lines, line);) text += "\n    " + line;
    }
    throw std::runtime_error(text);
}

void Server::startWatcher() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) fail("pipe");
    watcherInput_ = ends[1];
    // SIGQUIT is an immediate shutdown. Signals of a terminal must not end the watcher first.
    std::string script = "trap '' INT TERM HUP QUIT; cat >/dev/null; cd '" + folder_ +
                         "' || exit; pid=$(head -n 1 data/postmaster.pid 2>/dev/null) && "
                         "kill -QUIT $pid 2>/dev/null && while kill -0 $pid 2>/dev/null; do "
                         "sleep 0.02; done; rm -rf '" +
                         folder_ + "'";
    std::vector<std::string> command{"/bin/sh", "-c", script};
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    // A group of its own: timeout(1) kills that of this process.
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    const int error = ::posix_spawn(&watcher_, "/bin/sh", &actions, &attributes,
                                    argumentsOf(command).data(), environ);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[0]);
    if (error != 0) throw std::system_error(error, std::generic_category(), "/bin/sh");
}

Server& server() {
    static Server server;
    return server;
}

}  // namespace test
