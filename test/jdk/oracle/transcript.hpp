// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <iosfwd>
#include <ostream>
#include <string>
#include <vector>

namespace oracle {

/// What playing one scenario has shown.
struct Transcript {
    std::string name;  ///< the scenario's
    std::vector<std::string> lines;
};

inline bool operator==(const Transcript& a, const Transcript& b) {
    return a.name == b.name && a.lines == b.lines;
}
inline bool operator!=(const Transcript& a, const Transcript& b) { return !(a == b); }

/// Transcripts, and who has made them: what a golden file holds.
struct Recording {
    std::vector<std::string> head;  ///< the file's comments: the JDK's version, the seed
    std::vector<Transcript> transcripts;
};

/// \throws std::runtime_error
Recording readRecording(const std::string& path);

void write(std::ostream& out, const Recording& recording);

/// The two, the first lines that differ marked with `!`.
void writeDifference(std::ostream& out, const Transcript& java, const Transcript& jtimer);

}  // namespace oracle
