// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Runs a command beside a private server, which PGHOST, PGUSER and PGDATABASE name, and ends it:
//
//     with_server [--fsync] COMMAND...
#include "cluster/server.hpp"

#include <cstdlib>
#include <exception>
#include <iostream>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
    const bool durable = argc > 1 && argv[1] == std::string_view("--fsync");
    char** const command = argv + (durable ? 2 : 1);
    if (*command == nullptr) {
        std::cerr << "Usage: with_server [--fsync] COMMAND...\n";
        return 2;
    }
    try {
        const test::Server server(durable ? test::Server::Durable::Yes : test::Server::Durable::No);
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
