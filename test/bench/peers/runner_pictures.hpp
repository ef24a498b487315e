// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "runner_results.hpp"

#include <string>
#include <vector>

namespace runner {

/// Draws with gnuplot into the folder, as SVG; returns the files' names. Where there is no gnuplot,
/// says so on stderr and draws nothing. The script stays in the scratch folder.
std::vector<std::string> drawPictures(const Results& results, const std::string& folder,
                                      const std::string& gnuplot, const std::string& scratch);

}  // namespace runner
