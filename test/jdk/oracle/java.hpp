// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "scenario.hpp"
#include "transcript.hpp"

#include <cstdio>
#include <string>

namespace oracle {

/// Oracle.java in a process of its own, which plays scenarios on the real java.util.Timer while we
/// do something else.
class Java {
  public:
    /// \param folder where the scenarios and transcripts go
    /// \throws std::runtime_error
    Java(const std::vector<Scenario>& scenarios, const std::string& folder);
    Java(const Java&) = delete;
    Java& operator=(const Java&) = delete;
    ~Java();

    /// Waits for its end. \throws std::runtime_error if it was no good one
    Recording recording();

  private:
    const std::size_t count_;
    const std::string scenarios_, transcripts_;
    std::FILE* process_;
};

}  // namespace oracle
