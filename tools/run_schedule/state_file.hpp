// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "entry.hpp"
#include "output.hpp"
#include "process.hpp"

#include <jtimer/time.hpp>

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

/// The file of --state: it keeps when each line with a time of the wall clock last began, so that
/// the next start makes up for what was missed. A line is known by its name and rule.
///
/// It is text: a line that says its format, and a line `begun|seen DATE NAME RULE` for each task.
/// One that has been seen has not begun since that date, from which on its times count.
///
/// Any thread may call any function.
class StateFile {
  public:
    /// Locks and reads the file, if there is one, keeps what `entries` have, and writes it again.
    /// \param say is told when it cannot be written later, once until it can be
    /// \throws std::invalid_argument if it is damaged, cannot be written, or another process has it
    StateFile(std::string fileName, const std::vector<Entry>& entries, jtimer::Date now, Say say);

    /// Reads the file, if there is one, and neither locks nor writes it: another process may have
    /// it.
    /// \throws std::invalid_argument if it is damaged
    static void check(const std::string& fileName) { read(fileName, {}); }

    /// The entries are other ones now.
    void update(const std::vector<Entry>& entries, jtimer::Date now);

    /// A run begins. Returns when that is on the disk, or cannot be written.
    void begin(const Entry& entry, jtimer::Date now);

    /// Whether it could once not be written.
    bool hasFailed() const;

    struct Past {
        jtimer::Date date{};    ///< not in the future, as of the start
        bool hasBegun = false;  ///< at that date; otherwise it was seen first then
    };

    /// What was known of an entry before this process, or nothing.
    std::optional<Past> recall(const Entry& entry) const;

  private:
    struct Known {
        std::string rule;
        Past past;
        bool isNew = false;  ///< since this process
    };
    using AllKnown = std::map<std::string, Known>;

    void lock();
    static AllKnown read(const std::string& fileName, jtimer::Date now);
    void keep(const std::vector<Entry>& entries, jtimer::Date now);
    int write() const;
    void writeOrSay();

    const std::string fileName_;
    FileDescriptor lock_;
    const Say say_;
    mutable std::mutex mutex_;
    // Guarded by mutex_:
    AllKnown known_;          ///< by name
    bool isFailing_ = false;  ///< the last write did, and that has been said
    bool hasFailed_ = false;
};
