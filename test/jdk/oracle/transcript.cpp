// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "transcript.hpp"

#include <algorithm>
#include <fstream>
#include <ostream>
#include <stdexcept>
#include <utility>

namespace oracle {

Recording readRecording(const std::string& path) {
    const std::string head = "scenario ";
    std::ifstream in(path);
    if (!in) throw std::runtime_error("cannot read " + path);
    Recording recording;
    for (std::string line; std::getline(in, line);) {
        if (line.compare(0, head.size(), head) == 0) {
            recording.transcripts.push_back({line.substr(head.size()), {}});
        } else if (!recording.transcripts.empty()) {
            recording.transcripts.back().lines.push_back(line);
        } else {
            recording.head.push_back(line);
        }
    }
    return recording;
}

void write(std::ostream& out, const Recording& recording) {
    for (const std::string& line : recording.head) out << line << '\n';
    for (const Transcript& transcript : recording.transcripts) {
        out << "scenario " << transcript.name << '\n';
        for (const std::string& line : transcript.lines) out << line << '\n';
    }
}

void writeDifference(std::ostream& out, const Transcript& java, const Transcript& jtimer) {
    const auto [end, ignored] = std::mismatch(java.lines.begin(), java.lines.end(),
                                              jtimer.lines.begin(), jtimer.lines.end());
    const auto same = static_cast<std::size_t>(end - java.lines.begin());
    for (const auto& [who, transcript] :
         {std::pair("java.util.Timer", &java), {"jtimer", &jtimer}}) {
        out << "--- " << who << ":\n";
        for (std::size_t i = 0; i < transcript->lines.size(); ++i) {
            out << (i == same ? "! " : "  ") << transcript->lines[i] << '\n';
        }
        if (transcript->lines.size() <= same) out << "! (no more)\n";
    }
}

}  // namespace oracle
