// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <string>
#include <vector>

namespace bench {

/// What is measured: a figure of jtimer::cluster, and what it is compared with.
struct Figure {
    enum class Goal { AtLeast, AtMost, None };

    std::string workload;  ///< "C1"
    std::string what;      ///< with the unit
    std::string beside;    ///< empty: the goal is one of the figure itself, not of a ratio
    Goal kind;
    double goal = 0;
};

/// The rounds' figures, as a table.
class Report {
  public:
    void add(const Figure& figure, double ours, double theirs = 1);

    /// Medians; of the ratios, which are taken within a round, the least and the greatest too.
    void print() const;

  private:
    struct Line {
        Figure figure;
        std::vector<double> ours, theirs, ratios;
    };
    std::vector<Line> lines_;
};

/// \param part 0.5 for the median
double quantile(std::vector<double> values, double part);

}  // namespace bench
