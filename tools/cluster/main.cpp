// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// jtimer-cluster: shows and operates the tasks of a jtimer::cluster; see options.cpp.
//
//     Options             the command line, as a value
//     text, json_text     from values to what is printed
//     Console             the standard streams, and the question
//     commands            what they do, of one task or of many: the only part that calls the
//     library

#include "commands.hpp"
#include "console.hpp"
#include "options.hpp"
#include "status.hpp"

#include <jtimer/clock.hpp>

#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>

using namespace cluster_tool;

namespace {

Options optionsOf(int argc, char** argv) {
    return parseOptions({argv + 1, argv + argc}, std::getenv("JTIMER_CLUSTER"),
                        jtimer::WallClock().now());
}

int run(const Options& options, Console& console) {
    try {
        const int status = execute(options, console);
        console.flush();
        return status;
    } catch (const std::invalid_argument& e) {
        Console::tell(e.what());
        return kBadUsage;
    } catch (const std::exception& e) {
        Console::tell(e.what());
        return kDatabase;
    }
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    try {
        options = optionsOf(argc, argv);
    } catch (const std::exception& e) {
        Console::tell(std::string(e.what()) + '\n' + kUsage + "See `jtimer-cluster --help`.");
        return kBadUsage;
    }
    Console console;
    return run(options, console);
}
