// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "state_file.hpp"

#include "../text/parsing.hpp"
#include "../text/time_text.hpp"
#include "replace_file.hpp"
#include "rule.hpp"
#include "words.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace {

constexpr std::string_view kFormat = "run_schedule state 1";

}  // namespace

StateFile::StateFile(std::string fileName, const std::vector<Entry>& entries, jtimer::Date now,
                     Say say)
    : fileName_(std::move(fileName)), lock_(-1), say_(std::move(say)) {
    lock();
    known_ = read(fileName_, now);
    keep(entries, now);
    const int error = write();
    if (error != 0) throw std::invalid_argument(cannotWrite(fileName_, error));
}

/// A file beside the other one, which is replaced. The lock ends with the process.
void StateFile::lock() {
    const std::string name = fileName_ + ".lock";
    constexpr mode_t kMode = 0666;
    lock_ = FileDescriptor(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kMode));
    if (lock_.get() < 0) throw std::invalid_argument(cannotWrite(name, errno));
    struct flock wanted {};
    wanted.l_type = F_WRLCK;
    wanted.l_whence = SEEK_SET;
    if (::fcntl(lock_.get(), F_SETLK, &wanted) == 0) return;
    const int error = errno;
    struct flock holder = wanted;
    if (::fcntl(lock_.get(), F_GETLK, &holder) != 0 || holder.l_type == F_UNLCK)
        throw std::invalid_argument("cannot lock " + name + ": " + std::strerror(error));
    failExpecting("--state: process " + std::to_string(holder.l_pid) + " uses " + fileName_,
                  "a file for each copy of run_schedule");
}

StateFile::AllKnown StateFile::read(const std::string& fileName, jtimer::Date now) {
    std::ifstream file(fileName);
    if (!file.is_open() && errno == ENOENT) return {};
    AllKnown known;
    std::string line;
    const bool hasFormat = std::getline(file, line) && line == kFormat;
    for (int number = 2; hasFormat && std::getline(file, line); ++number) {
        try {
            Words words(line);
            const std::string_view what = words.take(), date = words.take(), name = words.take();
            if ((what != "begun" && what != "seen") || words.rest().empty())
                failExpecting("it is damaged", "begun or seen, a date, a name and a time");
            const Past past{std::min(parseDate(date), now), what == "begun"};
            known[std::string(name)] = {std::string(words.rest()), past, false};
        } catch (const std::invalid_argument& e) {
            throw std::invalid_argument("--state: " + fileName + ':' + std::to_string(number) +
                                        ": " + e.what());
        }
    }
    if (file.bad() || !file.is_open())
        throw std::invalid_argument("cannot read " + fileName + ": " + std::strerror(errno));
    if (!hasFormat)
        failExpecting("--state: " + fileName + " is damaged, or another file",
                      "one that run_schedule has written, or none");
    return known;
}

/// Keeps what is known of these entries, and forgets the rest.
void StateFile::keep(const std::vector<Entry>& entries, jtimer::Date now) {
    AllKnown known;
    for (const Entry& entry : entries) {
        if (!entry.followsWallClock()) continue;
        const std::string rule = ruleOf(entry);
        const auto before = known_.find(entry.name);
        known[entry.name] = before != known_.end() && before->second.rule == rule
                                ? before->second
                                : Known{rule, {now, false}, true};
    }
    known_.swap(known);
}

void StateFile::update(const std::vector<Entry>& entries, jtimer::Date now) {
    const std::lock_guard lock(mutex_);
    keep(entries, now);
    writeOrSay();
}

void StateFile::begin(const Entry& entry, jtimer::Date now) {
    const std::lock_guard lock(mutex_);
    const auto known = known_.find(entry.name);
    if (known == known_.end() || known->second.rule != ruleOf(entry)) return;
    known->second.past = {now, true};
    writeOrSay();
}

bool StateFile::hasFailed() const {
    const std::lock_guard lock(mutex_);
    return hasFailed_;
}

std::optional<StateFile::Past> StateFile::recall(const Entry& entry) const {
    const std::lock_guard lock(mutex_);
    const auto known = known_.find(entry.name);
    if (known == known_.end() || known->second.isNew || known->second.rule != ruleOf(entry))
        return std::nullopt;
    return known->second.past;
}

/// \returns the errno of the failure; 0 if there was none
int StateFile::write() const {
    std::string text(kFormat);
    for (const auto& [name, known] : known_) {
        text.append(known.past.hasBegun ? "\nbegun " : "\nseen ");
        text.append(inCanonicalForm(known.past.date)).append(" ").append(name);
        text.append(" ").append(known.rule);
    }
    return replaceFile(fileName_, text + '\n', true);
}

void StateFile::writeOrSay() {
    const int error = write();
    if (error != 0 && !isFailing_) say_(cannotWrite(fileName_, error));
    isFailing_ = error != 0;
    hasFailed_ |= isFailing_;
}
