// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "ledger.hpp"

#include <jtimer/time.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// What is known of run_schedule itself.
struct Overview {
    std::size_t tasks = 0;  ///< of the schedule as it is now
    jtimer::Date start{};
    bool isReloaded = true;          ///< the last reload succeeded, or there was none
    std::int64_t lostLines = 0;      ///< of the output
    std::optional<bool> databaseUp;  ///< it answered when it was last asked; in a cluster only
};
bool operator==(const Overview& one, const Overview& other);

/// All of it in the text format of Prometheus.
std::string metricsOf(const std::vector<Record>& records, const Overview& overview);

/// Writes a file of metrics, for the textfile collector of Prometheus' node_exporter. It is
/// replaced as a whole, so that no reader sees half of it.
/// \throws std::runtime_error if it cannot be written
void replaceMetrics(const std::string& fileName, const std::string& text);

/// The file of --metrics. Not for use by several threads at a time.
class MetricsFile {
  public:
    /// \param fileName empty: there is none
    explicit MetricsFile(std::string fileName) : fileName_(std::move(fileName)) {}

    bool exists() const { return !fileName_.empty(); }

    /// Writes the file unless nothing has changed.
    /// \returns whether it is up to date, or there is none
    bool write(const Ledger& ledger, const Overview& overview);

    /// Why the last attempt to write it has failed.
    const std::string& failure() const { return failure_; }

  private:
    const std::string fileName_;
    // As it was written:
    std::uint64_t version_ = 0;  ///< of the ledger
    Overview overview_;
    std::string failure_;
};
