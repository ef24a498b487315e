// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/end_writer.hpp"

#include "cluster/reports.hpp"

#include <jtimer/cluster/exceptions.hpp>

#include <boost/thread/lock_guard.hpp>
#include <boost/thread/lock_types.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

namespace jtimer::cluster::detail {

namespace {

constexpr std::size_t kLargestBatch = 1000;

/// After a row was found locked by another transaction.
constexpr Micros kUnlockDelay = 20'000;

/// After the server has refused an end, alone.
constexpr Micros kRefusedDelay = 1'000'000;

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

/// Takes out of the batch what it has written. If it throws, the rest has not been.
void EndWriter::writeBatch() {
    soon_ = false;
    repeats_ = false;
    checkCompleted();
    try {
        write(batch_);
    } catch (const std::exception&) {
        if (!store_.connected()) throw;
        writeOneByOne();
    }
    if (repeats_ || soon_) events_.lookForTasks(soon_);
}

/// complete() has written the ends of some runs; have their transactions been committed?
void EndWriter::checkCompleted() {
    for (std::size_t i = 0; i < batch_.size();) {
        Ending& ending = batch_[i];
        const auto status = ending.completedIn.has_value()
                                ? store_.outcomeOf(*ending.completedIn, *ending.end.task)
                                : std::nullopt;
        if (status.has_value()) {
            counters_.add(*status == EndStatus::Written ? &Stats::succeeded : &Stats::fenced);
            repeats_ = true;
            events_.written(ending.end.task->token);
            batch_.erase(batch_.begin() + static_cast<std::ptrdiff_t>(i));
            continue;
        }
        // If not, the failure is written as any other.
        if (ending.completedIn.has_value() && !ending.reported) events_.failed(ending.end.error);
        ending.completedIn.reset();
        ++i;
    }
}

void EndWriter::write(std::vector<Ending>& endings) {
    std::vector<End> ends;
    ends.reserve(endings.size());
    for (const Ending& ending : endings) ends.push_back(ending.end);
    std::vector<EndStatus> statuses;
    try {
        statuses = store_.writeEnds(ends);
    } catch (const OutcomeUnknownException&) {
        for (Ending& ending : endings) ending.repeated = true;
        throw;
    }
    for (std::size_t i = 0; i < endings.size(); ++i) over(endings[i], ends[i], statuses[i]);
    endings.clear();
}

/// The server has refused the batch: one end that it refuses must not hold up the others.
void EndWriter::writeOneByOne() {
    while (!batch_.empty()) {
        std::vector<Ending> one;
        one.push_back(std::move(batch_.back()));
        batch_.pop_back();
        try {
            write(one);
        } catch (const std::exception& exception) {
            Ending& ending = one.front();
            if (!store_.connected()) {
                batch_.push_back(std::move(ending));
                throw;
            }
            const ClaimedTask& task = *ending.end.task;
            if (!std::exchange(ending.refused, true))
                printLine("Task \"" + task.name + "\" \"" + task.id +
                          "\": its end cannot be written: " + exception.what());
            keep(std::move(ending), kRefusedDelay);
        }
    }
}

/// \param end as it was written
void EndWriter::over(const Ending& ending, const End& end, EndStatus status) {
    if (status == EndStatus::Locked) return keep(ending, kUnlockDelay);
    // If it may have been written before, it cannot be told from one that was.
    if (status == EndStatus::Fenced && !ending.repeated) {
        counters_.add(&Stats::fenced);
    } else {
        const bool repeats = end.task->recurrence.repeats() && end.kind != End::Kind::Dead;
        repeats_ |= repeats || end.again.has_value() || end.kind == End::Kind::Retry;
        soon_ |= end.again.has_value() ||
                 (repeats && end.task->recurrence.period <= toMicros(options_.pollInterval));
        if (ending.ran)
            counters_.add(ending.end.kind == End::Kind::Success ? &Stats::succeeded
                                                                : &Stats::failed);
        if (end.kind == End::Kind::Retry) counters_.add(&Stats::retried);
        if (end.kind == End::Kind::Dead || (end.kind == End::Kind::GiveUp && !repeats))
            died(ending, end.error);
    }
    events_.written(end.task->token);
}

void EndWriter::died(const Ending& ending, const std::string& error) {
    counters_.add(&Stats::died);
    const ClaimedTask& task = *ending.end.task;
    const int attempts = ending.ran ? task.attempt : task.attempt - 1;
    printLine("Task \"" + task.name + "\" \"" + task.id + "\" is dead after " +
              std::to_string(attempts) + (attempts == 1 ? " attempt: " : " attempts: ") + error);
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
    retry_.setIn(delay);
}

}  // namespace jtimer::cluster::detail
