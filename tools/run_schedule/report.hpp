// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "entry.hpp"
#include "event.hpp"
#include "ledger.hpp"
#include "output.hpp"

#include <jtimer/time.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct Options;

/// One of the two streams of a command.
enum class Stream { Output, Error };

/// What is told of a schedule that is being played, in one of the forms of --output. Any thread may
/// call any function, unless it says otherwise.
class Report {
  public:
    /// How what commands print becomes lines.
    enum class Streams {
        Together,  ///< their two streams are one, in which lines keep their order
        Apart,     ///< each line is known to be of one stream, and their mutual order is lost
        None,      ///< not at all: commands have our standard output and standard error
    };

    explicit Report(Output& output) : output_(output) {}
    Report(const Report&) = delete;
    Report& operator=(const Report&) = delete;
    virtual ~Report() = default;

    virtual Streams streams() const = 0;

    /// These entries may have lines and events.
    virtual void expect(const std::vector<Entry>& entries) = 0;

    /// What a command has printed.
    virtual void line(jtimer::Date time, const std::string& task, Stream stream,
                      std::string_view text) = 0;
    virtual void event(const Event& event) = 0;

    /// In a dry run: the command would begin now.
    virtual void wouldRun(const Job& job, jtimer::Date time) = 0;

    /// What run_schedule itself has to say.
    virtual void notice(Level level, const std::string& text) = 0;

    /// Why files cannot be read again, as a start says it: a line for each error.
    virtual void badFiles(const std::string& errors) { notice(Level::Error, errors); }

    /// What has come of all tasks, at the end.
    virtual void summary(jtimer::Date time, const std::vector<Record>& records) = 0;

    /// How often the main thread is to call refresh(); nothing: never.
    virtual std::optional<std::chrono::milliseconds> refreshment() const { return std::nullopt; }
    virtual void refresh(jtimer::Date, const std::vector<Record>&) {}

    /// refresh() is not called again.
    virtual void endRefreshing() {}

    /// Whether the last write failed.
    bool failing() const;

    /// The number of lines that could not be written. It does not wait for one that is being
    /// written.
    std::int64_t lostLines() const { return lostLines_; }

  protected:
    /// Writes one or more whole lines.
    void write(std::string_view lines);
    void flush();

    /// For use by one thread, while no other writes.
    Output& output() { return output_; }

  private:
    mutable std::mutex mutex_;
    Output& output_;  ///< guarded by mutex_
    std::atomic<std::int64_t> lostLines_{0};
};

/// The form that the options ask for.
std::unique_ptr<Report> makeReport(const Options& options, Output& output);
