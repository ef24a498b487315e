// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/end_writer.hpp"

#include "cluster/reports.hpp"

#include <jtimer/cluster/exceptions.hpp>

#include <boost/thread/lock_guard.hpp>
#include <boost/thread/lock_types.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

namespace jtimer::cluster::detail {

namespace {

constexpr std::size_t kLargestBatch = 1000;

/// After a row was found locked by another transaction.
constexpr Micros kUnlockDelay = 20'000;

/// After the server has refused an end, alone.
constexpr Micros kRefusedDelay = 1'000'000;

bool belongTogether(const Ending& one, const Ending& other) {
    return one.node == other.node && one.repeated == other.repeated &&
           !other.completedIn.has_value();
}

}  // namespace

EndWriter::EndWriter(const Options& options, Timer& timer, Outage& outage, Counters& counters,
                     Events events)
    : options_(options), counters_(counters), events_(std::move(events)), store_(options),
      attempts_(outage, counters), retry_(timer, [this] {
          const boost::lock_guard<boost::mutex> lock(mutex_);
          paused_ = false;
          std::move(later_.begin(), later_.end(), std::back_inserter(waiting_));
          later_.clear();
          condition_.notify_all();
      }) {}

void EndWriter::join() {
    {
        const boost::lock_guard<boost::mutex> lock(mutex_);
        ending_ = true;
        condition_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
}

void EndWriter::start() {
    store_.connect();
    thread_ = boost::thread([this] { run(); });
}

void EndWriter::add(Ending ending) {
    const boost::lock_guard<boost::mutex> lock(mutex_);
    waiting_.push_back(std::move(ending));
    condition_.notify_all();
}

void EndWriter::run() {
    while (takeBatch()) {
        try {
            writeBatch();
            attempts_.succeeded();
            if (failing_.exchange(false)) events_.lookForTasks(false);
        } catch (const std::exception& exception) {
            failed(exception);
        }
    }
}

bool EndWriter::takeBatch() {
    boost::unique_lock<boost::mutex> lock(mutex_);
    while (!ending_ && (paused_ || (waiting_.empty() && batch_.empty()))) condition_.wait(lock);
    const std::size_t count =
        std::min(waiting_.size(), kLargestBatch - std::min(kLargestBatch, batch_.size()));
    const auto last = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
    std::move(waiting_.begin(), last, std::back_inserter(batch_));
    waiting_.erase(waiting_.begin(), last);
    return !ending_ && !batch_.empty();
}

/// Takes group after group out of the batch. If that throws, what is left has not been written.
void EndWriter::writeBatch() {
    soon_ = false;
    repeats_ = false;
    while (!batch_.empty()) {
        if (batch_.front().completedIn.has_value()) {
            check(batch_.front());
            batch_.erase(batch_.begin());
            continue;
        }
        const auto last = std::stable_partition(batch_.begin(), batch_.end(),
                                                [first = batch_.front()](const Ending& ending) {
                                                    return belongTogether(first, ending);
                                                });
        std::vector<Ending> group(std::make_move_iterator(batch_.begin()),
                                  std::make_move_iterator(last));
        batch_.erase(batch_.begin(), last);
        writeGroup(std::move(group));
    }
    if (repeats_ || soon_) events_.lookForTasks(soon_);
}

void EndWriter::writeGroup(std::vector<Ending> group) {
    const auto putBack = [&](bool maybeWritten) {
        for (Ending& ending : group) ending.repeated |= maybeWritten;
        std::move(group.begin(), group.end(), std::back_inserter(batch_));
    };
    std::vector<EndStatus> statuses;
    try {
        std::vector<End> ends;
        ends.reserve(group.size());
        for (const Ending& ending : group) ends.push_back(ending.end);
        statuses = store_.writeEnds(group.front().node, ends, group.front().repeated);
    } catch (const OutcomeUnknownException&) {
        putBack(true);
        throw;
    } catch (const std::exception& exception) {
        if (!store_.connected()) {
            putBack(false);
            throw;
        }
        return writeOneByOne(group, exception);
    }
    for (std::size_t i = 0; i < group.size(); ++i) over(group[i], statuses[i]);
}

/// The server has refused the group: one end that it refuses must not hold up the others.
void EndWriter::writeOneByOne(std::vector<Ending>& group, const std::exception& why) {
    if (group.size() == 1) {
        const ClaimedTask& task = *group.front().end.task;
        if (!std::exchange(group.front().refused, true))
            printLine("Task \"" + task.name + "\" \"" + task.id +
                      "\": its end cannot be written: " + why.what());
        return keep(std::move(group.front()), kRefusedDelay);
    }
    while (!group.empty()) {
        std::vector<Ending> one;
        one.push_back(std::move(group.back()));
        group.pop_back();
        try {
            writeGroup(std::move(one));
        } catch (...) {
            std::move(group.begin(), group.end(), std::back_inserter(batch_));
            throw;
        }
    }
}

/// complete() has written the end; has the handler's transaction been committed?
void EndWriter::check(Ending ending) {
    const ClaimedTask& task = *ending.end.task;
    const auto status = store_.outcomeOf(*ending.completedIn, ending.node, task);
    if (!status.has_value()) {
        if (!ending.reported) events_.failed(ending.end.error);
        ending.completedIn.reset();
        batch_.push_back(std::move(ending));  // the failure is written as any other
        return;
    }
    counters_.add(*status == EndStatus::Written ? &Stats::succeeded : &Stats::fenced);
    repeats_ = true;
    events_.written(task.token);
}

void EndWriter::over(const Ending& ending, EndStatus status) {
    if (status == EndStatus::Locked) return keep(ending, kUnlockDelay);
    const End& end = ending.end;
    if (status == EndStatus::Fenced) {
        counters_.add(&Stats::fenced);
    } else {
        const bool repeats = end.task->recurrence.repeats() && end.kind != End::Kind::Dead;
        repeats_ |= repeats || end.again.has_value() || end.kind == End::Kind::Retry;
        soon_ |= end.again.has_value() ||
                 (repeats && end.task->recurrence.period <= toMicros(options_.pollInterval));
        if (ending.ran)
            counters_.add(end.kind == End::Kind::Success ? &Stats::succeeded : &Stats::failed);
        if (end.kind == End::Kind::Retry) counters_.add(&Stats::retried);
        if (end.kind == End::Kind::Dead || (end.kind == End::Kind::GiveUp && !repeats))
            died(ending);
    }
    events_.written(end.task->token);
}

void EndWriter::died(const Ending& ending) {
    counters_.add(&Stats::died);
    const ClaimedTask& task = *ending.end.task;
    const int attempts = ending.ran ? task.attempt : task.attempt - 1;
    printLine("Task \"" + task.name + "\" \"" + task.id + "\" is dead after " +
              std::to_string(attempts) + " attempts: " + ending.end.error);
}

void EndWriter::keep(Ending ending, Micros delay) {
    bool first = false;
    {
        const boost::lock_guard<boost::mutex> lock(mutex_);
        first = later_.empty();
        later_.push_back(std::move(ending));
    }
    // Setting the alarm again and again would put it off for ever.
    if (first) retry_.setIn(delay);
}

void EndWriter::failed(const std::exception& exception) {
    failing_ = true;
    const Micros delay = attempts_.failed(exception);
    store_.disconnect();
    {
        const boost::lock_guard<boost::mutex> lock(mutex_);
        paused_ = true;
    }
    try {
        retry_.setIn(delay);
    } catch (const std::exception&) {  // no memory for the alarm
        const boost::lock_guard<boost::mutex> lock(mutex_);
        paused_ = false;
    }
}

}  // namespace jtimer::cluster::detail
