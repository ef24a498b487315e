// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "report.hpp"

#include <atomic>
#include <cstddef>
#include <string>
#include <utility>

/// Lines for people, `2030-01-01T08:00:00.250+01:00 name  text`, and a table at the end. Notices go
/// to the standard error.
class PrefixedReport : public Report {
  public:
    /// \param node this copy's name in a cluster, for a column of the table; empty: there is none
    /// \param verbose tells also when commands begin and succeed
    PrefixedReport(Output& output, std::string node, bool verbose)
        : Report(output), node_(std::move(node)), verbose_(verbose) {}

    Streams streams() const override { return Streams::Together; }
    void expect(const std::vector<Entry>& entries) override;
    void line(jtimer::Date time, const std::string& task, Stream stream,
              std::string_view text) override;
    void event(const Event& event) override;
    void wouldRun(const Job& job, jtimer::Date time) override;
    void notice(Level level, const std::string& text) override;
    void badFiles(const std::string& errors) override;
    void summary(jtimer::Date time, const std::vector<Record>& records) override;

  private:
    const std::string node_;
    const bool verbose_;
    std::atomic<std::size_t> nameWidth_{0};
};

/// The same, but commands have the output themselves, and `output` is another one.
class RawReport final : public PrefixedReport {
  public:
    using PrefixedReport::PrefixedReport;

    Streams streams() const override { return Streams::None; }
};
