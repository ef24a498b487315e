// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "../text/json.hpp"
#include "notices_of_cerr.hpp"
#include "report.hpp"

#include <string>
#include <utility>

/// An object of JSON on each line, for programs: what commands print, events, and notices, also
/// those of the libraries.
class JsonReport final : public Report {
  public:
    /// \param node this copy's name in a cluster; empty: there is none
    JsonReport(Output& output, std::string node)
        : Report(output), node_(std::move(node)),
          notices_([this](const std::string& text) { notice(Level::Warning, text); }) {}

    Streams streams() const override { return Streams::Apart; }
    void expect(const std::vector<Entry>&) override {}
    void line(jtimer::Date time, const std::string& task, Stream stream,
              std::string_view text) override;
    void event(const Event& event) override;
    void wouldRun(const Job& job, jtimer::Date time) override;
    void notice(Level level, const std::string& text) override;
    void summary(jtimer::Date time, const std::vector<Record>& records) override;

  private:
    JsonObject objectAt(jtimer::Date time) const;
    void write(const JsonObject& object);

    const std::string node_;
    const NoticesOfCerr notices_;
};
