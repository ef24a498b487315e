// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "transcript.hpp"

#include <iosfwd>
#include <string>

namespace oracle {

/// What each line of the transcript tells that its scenario does not, in the words of README.md.
Transcript answersOf(const Transcript& transcript);

/// \returns transcripts of answers, as by answersOf()
/// \throws std::runtime_error
Recording readGolden(const std::string& path);
Recording readGolden(std::istream& in);

/// Writes the answers of the transcripts.
/// \throws std::runtime_error that quotes what readGolden() would read otherwise
void writeGolden(std::ostream& out, const Recording& recording);

}  // namespace oracle
