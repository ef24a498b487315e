// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "ledger.hpp"

#include <string>
#include <utility>
#include <vector>

/// The records in the text format of Prometheus.
std::string metricsOf(const std::vector<Record>& records);

/// A file of metrics, for the textfile collector of Prometheus' node_exporter. It is replaced as a
/// whole, so that no reader sees half of it.
class MetricsFile {
  public:
    explicit MetricsFile(std::string fileName) : fileName_(std::move(fileName)) {}

    /// \throws std::runtime_error if it cannot be written
    void write(const std::string& text) const;

  private:
    const std::string fileName_;
};
