// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Runs a command beside a private server, which PGHOST, PGUSER and PGDATABASE name, and ends it:
//
//     with_server [--fsync] [--port PORT] COMMAND...
//
// With --port it also listens to this computer's own programs, and PGPORT is set.
#include "cluster/server.hpp"

#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

int main(int, char** argv) {
    auto durable = test::Server::Durable::No;
    std::vector<std::string> settings;
    char** command = argv + 1;
    if (*command != nullptr && *command == std::string_view("--fsync")) {
        durable = test::Server::Durable::Yes;
        ++command;
    }
    if (*command != nullptr && *command == std::string_view("--port") && command[1] != nullptr) {
        ::setenv("PGPORT", command[1], 1);
        settings = {"listen_addresses = '127.0.0.1'", std::string("port = ") + command[1]};
        command += 2;
    }
    if (*command == nullptr) {
        std::cerr << "Usage: with_server [--fsync] [--port PORT] COMMAND...\n";
        return 2;
    }
    try {
        const test::Server server(durable, settings);
        ::setenv("PGHOST", server.folder().c_str(), 1);
        ::setenv("PGUSER", "jtimer", 1);
        ::setenv("PGDATABASE", "postgres", 1);
        const pid_t pid = ::fork();
        if (pid == 0) {
            ::execvp(*command, command);
            ::_exit(127);
        }
        int status = 0;
        ::waitpid(pid, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    } catch (const std::exception& exception) {
        std::cerr << "with_server: " << exception.what() << '\n';
        return 1;
    }
}
