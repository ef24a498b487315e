// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "check.hpp"

#include "../text/columns.hpp"
#include "../text/parsing.hpp"
#include "../text/time_text.hpp"
#include "cluster.hpp"
#include "output.hpp"
#include "replace_file.hpp"
#include "state_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

namespace {

/// \throws std::invalid_argument unless the file can be written, or created
void checkWritable(const std::string& fileName) {
    if (fileName.empty()) return;
    struct stat status {};
    int error = 0;
    if (::stat(fileName.c_str(), &status) == 0) {
        if (S_ISDIR(status.st_mode)) {
            error = EISDIR;
        } else if (::access(fileName.c_str(), W_OK) != 0) {
            error = errno;
        }
    } else if (::access(folderOf(fileName).c_str(), W_OK | X_OK) != 0) {
        error = errno;
    }
    if (error != 0) throw std::invalid_argument(cannotWrite(fileName, error));
}

/// \throws std::invalid_argument unless the file can be replaced, or created
void checkReplaceable(const std::string& fileName) {
    const std::string why = fileName.empty() ? "" : whyNotReplaced(fileName);
    if (!why.empty()) throw std::invalid_argument("cannot write " + fileName + ": " + why);
}

std::string nextOf(const Entry& entry, jtimer::Date now) {
    const jtimer::Date next =
        entry.followsWallClock() ? entry.firstDate(now) : now + entry.firstDelay();
    if (next == jtimer::Date::max()) return "never";
    return formatDate(next) + (next < now ? " (past)" : "");
}

void addNotices(Schedule& schedule) {
    for (const Entry& entry : schedule.entries) {
        if (entry.input)
            schedule.notices.insert(entry.place +
                                    ": what follows % is the input of the command; \\% is a %");
        std::error_code none;
        if (entry.user && !entry.folder.empty() &&
            !std::filesystem::is_directory(entry.folder, none))
            schedule.notices.insert(entry.place + ": the home of " + inQuotes(entry.user->name) +
                                    ", " + inQuotes(entry.folder) +
                                    ", is not a folder here: each run will fail");
        if (entry.calendar && !entry.calendar->keepsInterval())
            schedule.notices.insert(
                "a time of a fixed line that the clocks show twice is due the second time; cronie "
                "takes the first");
    }
}

}  // namespace

std::string checkSchedule(Schedule& schedule, const Options& options, jtimer::Date now) {
    if (!options.cluster.empty()) checkForCluster(schedule.entries);
    checkWritable(options.trace);
    checkReplaceable(options.metrics);
    checkReplaceable(options.state);
    if (!options.state.empty()) StateFile::check(options.state);
    addNotices(schedule);
    std::size_t width = 0;
    for (const Entry& entry : schedule.entries) width = std::max(width, widthOf(entry.name));
    std::string text;
    for (const Entry& entry : schedule.entries)
        text += padded(entry.name, width) + "  " + nextOf(entry, now) + '\n';
    return text;
}
