// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "dispatcher.hpp"
#include "event_file.hpp"

#include <jtimer/time.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

/// Writes what has run when, as trace events for Chrome's about:tracing or https://ui.perfetto.dev:
/// each task has a row. The file can be read at any time, also after a crash. Any thread may call
/// any function.
class Trace {
  public:
    /// \param start the time of the trace's origin
    /// \param say receives the reports of events that are lost
    /// \throws std::runtime_error if the file cannot be written
    Trace(const std::string& fileName, jtimer::Date start, Say say);

    /// A command has run.
    /// \param failure empty if it has succeeded
    void command(const Job& job, jtimer::Date begin, jtimer::Date end, std::string_view failure);

    /// A run was due, but did not begin.
    void skipped(const std::string& name, jtimer::Date now);

    /// Writes the end of the file.
    void finish();

    std::int64_t lostEvents() const { return file_.lost(); }

  private:
    int rowOf(const std::string& name);
    std::string micros(jtimer::Date date) const;

    const jtimer::Date start_;
    std::mutex mutex_;
    // Guarded by mutex_:
    EventFile file_;
    std::map<std::string, int> rows_;  ///< by the names that the file has
};

/// \returns null if there is no name
/// \throws std::invalid_argument if the file cannot be written
std::unique_ptr<Trace> makeTrace(const std::string& fileName, jtimer::Date start, Say say);
