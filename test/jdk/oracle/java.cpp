// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "java.hpp"

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <utility>

#include <unistd.h>

namespace oracle {

namespace {

/// $ORACLE_JAVA, or what plays Oracle.java with the java that the shell finds.
std::string command() {
    const char* const command = std::getenv("ORACLE_JAVA");
    return command != nullptr ? command : "java -cp build/oracle Oracle";
}

/// A name that no other run of the oracle uses, in this process or beside it.
std::string uniqueName(const std::string& folder) {
    static int number = 0;
    return folder + "/java-" + std::to_string(getpid()) + '-' + std::to_string(++number);
}

}  // namespace

Java::Java(const std::vector<Scenario>& scenarios, const std::string& folder)
    : count_(scenarios.size()), scenarios_(uniqueName(folder) + ".scenarios"),
      transcripts_(uniqueName(folder) + ".transcripts") {
    std::ofstream out(scenarios_);
    for (const Scenario& scenario : scenarios) write(out, scenario);
    out.close();
    if (!out) throw std::runtime_error("cannot write " + scenarios_);
    process_ = popen((command() + " <'" + scenarios_ + "' >'" + transcripts_ + "'").c_str(), "w");
    if (process_ == nullptr) throw std::runtime_error("cannot start " + command());
}

Java::~Java() {
    if (process_ != nullptr) pclose(process_);
    std::remove(scenarios_.c_str());
    std::remove(transcripts_.c_str());
}

Recording Java::recording() {
    if (pclose(std::exchange(process_, nullptr)) != 0) {
        throw std::runtime_error(command() + " has failed");
    }
    Recording recording = readRecording(transcripts_);
    if (recording.transcripts.size() != count_) {
        throw std::runtime_error(command() + " has not played every scenario");
    }
    return recording;
}

}  // namespace oracle
