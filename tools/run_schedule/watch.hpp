// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "ledger.hpp"
#include "output.hpp"
#include "prefixed_report.hpp"

#include <jtimer/time.hpp>

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The size of a terminal, in characters.
struct ScreenSize {
    std::size_t columns = 80, rows = 24;
};

/// What each task last printed, by its name.
using LastLines = std::map<std::string, std::string>;

/// What the tasks are doing, one line for each, and a line above with the numbers. No line is wider
/// than the screen, and there are fewer than it has rows.
std::vector<std::string> watchLines(const std::vector<Record>& records, const LastLines& lastLines,
                                    jtimer::Date now, ScreenSize size);

/// Lines at the bottom of a terminal that are drawn again in place.
class Watch {
  public:
    /// Whether that is possible: `fd` is a terminal that can move its cursor.
    static bool isPossible(int fd);

    explicit Watch(Output& output, int fd) : output_(output), fd_(fd) {}

    ScreenSize size() const;

    /// Draws the lines in the place of the last ones, unless they are the same.
    void draw(const std::vector<std::string>& lines);

    /// Removes the lines.
    void clear();

  private:
    Output& output_;
    const int fd_;
    std::vector<std::string> drawn_;
};

/// A live table in the place of lines, on a terminal, and the same table as others at the end.
/// Notices stay above the live one.
class WatchReport final : public PrefixedReport {
  public:
    /// \param fd the terminal, to which `output` writes
    WatchReport(Output& output, std::string node, bool verbose, int fd)
        : PrefixedReport(output, std::move(node), verbose), watch_(Report::output(), fd) {}

    void line(jtimer::Date time, const std::string& task, Stream stream,
              std::string_view text) override;
    void notice(Level level, const std::string& text) override;
    void badFiles(const std::string& errors) override;
    std::optional<std::chrono::milliseconds> refreshment() const override;
    void refresh(jtimer::Date now, const std::vector<Record>& records) override;
    void endRefreshing() override;

  private:
    void tell(const std::string& lines);
    void drawNotices();

    Watch watch_;  ///< used by the main thread
    std::mutex mutex_;
    // Guarded by mutex_:
    LastLines lastLines_;
    std::vector<std::string> notices_;  ///< not yet shown
    bool isLive_ = true;
};
