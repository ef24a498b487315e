// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "operations.hpp"

#include <boost/version.hpp>

#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>

// Callgrind knows them by name, hence the C names and the bodies that no compiler can share or
// drop.
extern "C" {
[[gnu::noinline]] void countBegin() { asm volatile("" ::"r"(1) : "memory"); }
[[gnu::noinline]] void countEnd() { asm volatile("" ::"r"(2) : "memory"); }
}

namespace {

using count::Operation;

constexpr std::size_t kSizes[] = {1'000, 100'000};

using Operations = const std::vector<Operation>& (*)();
constexpr Operations kTimers[] = {count::jdkOperations, count::nettyOperations,
                                  count::brpcOperations, count::tokioOperations,
                                  count::goOperations};

const Operation* find(const std::string& name) {
    for (const auto operations : kTimers) {
        for (const Operation& operation : operations()) {
            if (name == operation.name) return &operation;
        }
    }
    return nullptr;
}

/// What the number of instructions depends on, besides the flags.
void printVersions() {
#if defined(__clang__)
    std::cout << "compiler: " << __VERSION__ << '\n';
#else
    std::cout << "compiler: g++ " << __VERSION__ << '\n';
#endif
#if defined(__GLIBC__)
    std::cout << "glibc: " << gnu_get_libc_version() << '\n';
#else
    std::cout << "glibc: none\n";
#endif
    std::cout << "boost: " << BOOST_LIB_VERSION << '\n';
}

/// One line for each run: the operation, the size, and how many calls are counted.
void printRuns() {
    for (const auto operations : kTimers) {
        for (const Operation& operation : operations()) {
            for (const std::size_t size : kSizes) {
                std::cout << operation.name << ' ' << size << ' ' << operation.calls(size) << '\n';
            }
        }
    }
}

int usage() {
    std::cerr << "Usage: count versions | count runs | count OPERATION SIZE\n";
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string command = argc > 1 ? argv[1] : "";
    if (argc == 2 && command == "versions") {
        printVersions();
        return 0;
    }
    if (argc == 2 && command == "runs") {
        printRuns();
        return 0;
    }
    const Operation* operation = argc == 3 ? find(command) : nullptr;
    if (operation == nullptr) return usage();
    try {
        operation->run(std::strtoul(argv[2], nullptr, 10));
    } catch (const std::exception& e) {
        std::cerr << "count: " << command << ": " << e.what() << '\n';
        return 1;
    }
    return 0;
}
