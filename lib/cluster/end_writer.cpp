// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/end_writer.hpp"

#include "cluster/reports.hpp"
#include "cluster/scheduler_state.hpp"

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

EndWriter::EndWriter(Engine& engine)
    : ConnectedThread(engine, engine.options.conninfo),
      laterAlarm_(*engine.timer, [this] { resume(); }) {}

void EndWriter::end() {
    const boost::lock_guard<boost::mutex> lock(mutex_);
    ending_ = true;
    condition_.notify_all();
}

void EndWriter::add(End end) {
    const boost::lock_guard<boost::mutex> lock(mutex_);
    waiting_.push_back(std::move(end));
    condition_.notify_all();
}

/// After a pause, or when the ends that were kept may be written.
void EndWriter::resume() {
    const boost::lock_guard<boost::mutex> lock(mutex_);
    std::move(later_.begin(), later_.end(), std::back_inserter(waiting_));
    later_.clear();
    condition_.notify_all();
}

void EndWriter::recovered() { engine_.dispatcher.lookForTasks(); }

/// Adds to the batch what has been waiting.
bool EndWriter::waitForWork() {
    boost::unique_lock<boost::mutex> lock(mutex_);
    while (!ending_ && (paused() || (waiting_.empty() && batch_.empty()))) condition_.wait(lock);
    const std::size_t count = std::min(waiting_.size(), kLargestBatch - batch_.size());
    const auto last = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
    std::move(waiting_.begin(), last, std::back_inserter(batch_));
    waiting_.erase(waiting_.begin(), last);
    return !ending_ && !batch_.empty();
}

/// Takes out of the batch what it has written. If it throws, the rest has not been.
void EndWriter::work() {
    soon_ = false;
    repeats_ = false;
    checkCompleted();
    try {
        write(batch_);
    } catch (const std::exception&) {
        if (!store_.connected()) throw;
        writeOneByOne();
    }
    if (repeats_ || soon_) engine_.dispatcher.lookForTasks();
    if (soon_) engine_.stores.notifyNodes();
}

/// complete() has written the ends of some runs; have their transactions been committed?
void EndWriter::checkCompleted() {
    for (std::size_t i = 0; i < batch_.size();) {
        End& end = batch_[i];
        const auto status = end.completedIn.has_value()
                                ? store_.outcomeOf(*end.completedIn, *end.task)
                                : std::nullopt;
        if (status.has_value()) {
            engine_.counters.add(*status == EndStatus::Written ? &Stats::succeeded
                                                               : &Stats::fenced);
            repeats_ = true;
            engine_.dispatcher.written(end.task->token);
            batch_.erase(batch_.begin() + static_cast<std::ptrdiff_t>(i));
            continue;
        }
        // If not, the failure is written as any other.
        if (end.completedIn.has_value() && !end.reported) engine_.dispatcher.report(end.error);
        end.completedIn.reset();
        ++i;
    }
}

void EndWriter::write(std::vector<End>& ends) {
    std::vector<End> written = ends;
    std::vector<EndStatus> statuses;
    try {
        statuses = store_.writeEnds(written);
    } catch (const OutcomeUnknownException&) {
        for (End& end : ends) end.repeated = true;
        throw;
    }
    for (std::size_t i = 0; i < ends.size(); ++i) over(ends[i], written[i], statuses[i]);
    ends.clear();
}

/// The server has refused the batch: one end that it refuses must not hold up the others.
void EndWriter::writeOneByOne() {
    while (!batch_.empty()) {
        std::vector<End> one;
        one.push_back(std::move(batch_.back()));
        batch_.pop_back();
        try {
            write(one);
        } catch (const std::exception& exception) {
            End& end = one.front();
            if (!store_.connected()) {
                batch_.push_back(std::move(end));
                throw;
            }
            if (!std::exchange(end.refused, true))
                printLine("Task \"" + end.task->name + "\" \"" + end.task->id +
                          "\": its end cannot be written: " + exception.what());
            keep(std::move(end), kRefusedDelay);
        }
    }
}

/// \param written the end as it was written: a cron task may have become dead
void EndWriter::over(const End& end, const End& written, EndStatus status) {
    if (status == EndStatus::Locked) return keep(end, kUnlockDelay);
    // If it may have been written before, it cannot be told from one that was.
    if (status == EndStatus::Fenced && !end.repeated) {
        engine_.counters.add(&Stats::fenced);
    } else {
        const End::Kind kind = written.kind;
        const bool repeats = end.task->recurrence.repeats() && kind != End::Kind::Dead;
        repeats_ |= repeats || end.again.has_value() || kind == End::Kind::Retry;
        soon_ |= end.again.has_value() ||
                 (repeats && end.task->recurrence.period <= toMicros(engine_.options.pollInterval));
        if (end.ran)
            engine_.counters.add(end.kind == End::Kind::Success ? &Stats::succeeded
                                                                : &Stats::failed);
        if (kind == End::Kind::Retry) engine_.counters.add(&Stats::retried);
        if (kind == End::Kind::Dead || (kind == End::Kind::GiveUp && !repeats)) died(written);
    }
    engine_.dispatcher.written(end.task->token);
}

void EndWriter::died(const End& end) {
    engine_.counters.add(&Stats::died);
    const int attempts = end.ran ? end.task->attempt : end.task->attempt - 1;
    printLine("Task \"" + end.task->name + "\" \"" + end.task->id + "\" is dead after " +
              std::to_string(attempts) + (attempts == 1 ? " attempt: " : " attempts: ") +
              end.error);
}

void EndWriter::keep(End end, Micros delay) {
    bool first = false;
    {
        const boost::lock_guard<boost::mutex> lock(mutex_);
        first = later_.empty();
        later_.push_back(std::move(end));
    }
    // Setting the alarm again and again would put it off for ever.
    if (first) laterAlarm_.setIn(delay);
}

}  // namespace jtimer::cluster::detail
