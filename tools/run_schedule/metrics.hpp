// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "ledger.hpp"

#include <string>
#include <vector>

/// The records in the text format of Prometheus.
std::string metricsOf(const std::vector<Record>& records);

/// Writes a file of metrics, for the textfile collector of Prometheus' node_exporter. It is
/// replaced as a whole, so that no reader sees half of it.
/// \throws std::runtime_error if it cannot be written
void replaceMetrics(const std::string& fileName, const std::string& text);
