// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "runner_facts.hpp"

#include <boost/version.hpp>

#include <sys/utsname.h>

#include <cmath>
#include <ctime>
#include <fstream>
#include <thread>

namespace runner {

namespace {

// What follows the colon on the first line of the file that begins with the key.
std::string lookUp(const std::string& file, const std::string& key) {
    std::ifstream input(file);
    for (std::string line; std::getline(input, line);) {
        if (line.compare(0, key.size(), key) != 0) continue;
        const std::size_t value = line.find_first_not_of(" \t", line.find(':') + 1);
        return value == std::string::npos ? "" : line.substr(value);
    }
    return "unknown";
}

std::string today() {
    const std::time_t now = std::time(nullptr);
    char text[32];
    std::tm parts{};
    std::strftime(text, sizeof text, "%Y-%m-%d", localtime_r(&now, &parts));
    return text;
}

std::string machine() {
    utsname system{};
    uname(&system);
    const std::string memory = lookUp("/proc/meminfo", "MemTotal");
    const double kibibytes = memory == "unknown" ? 0 : std::stod(memory);
    return lookUp("/proc/cpuinfo", "model name") + ", " +
           std::to_string(std::thread::hardware_concurrency()) + " processors, " +
           std::to_string(std::lround(kibibytes / 1024 / 1024)) + " GiB, " + system.sysname + ' ' +
           system.release;
}

std::string compiler() {
#ifdef __clang__
    return "Clang " __clang_version__;
#else
    return "GCC " __VERSION__;
#endif
}

}  // namespace

std::vector<std::pair<std::string, std::string>> findFacts() {
    return {{"date", today()},
            {"machine", machine()},
            {"compiler", compiler()},
            {"Boost", BOOST_LIB_VERSION}};
}

}  // namespace runner
