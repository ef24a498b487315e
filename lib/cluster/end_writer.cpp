// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/end_writer.hpp"

#include "cluster/assert_held.hpp"
#include "cluster/reports.hpp"
#include "cluster/time_out.hpp"
#include "sync/assert.hpp"

#include <jtimer/cluster/exceptions.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

namespace jtimer::cluster::detail {

namespace {

/// A batch has no more ends, and no more bytes of payloads and errors unless it is a single end.
constexpr std::size_t kMostEnds = 1000;
constexpr std::size_t kMostBytes = 4'194'304;

/// After a row was found locked by another transaction.
constexpr Micros kUnlockDelay = 20'000;

/// After the server has refused an end, alone.
constexpr Micros kRefusedDelay = 1'000'000;

std::size_t bytesOf(const End& end) {
    return end.error.size() + (end.payload.has_value() ? end.payload->size() : 0);
}

template <class Ends>
std::size_t bytesOfAll(const Ends& ends) {
    return std::accumulate(ends.begin(), ends.end(), std::size_t{0},
                           [](std::size_t bytes, const End& end) { return bytes + bytesOf(end); });
}

}  // namespace

EndWriter::EndWriter(Environment& environment, Calls calls)
    : environment_(environment), calls_(std::move(calls)),
      laterAlarm_(*environment.timer, [this] { resume(); }),
      mostEnds_(kMostEnds, toMicros(environment.options.operationTimeout)),
      mostBytes_(kMostBytes, toMicros(environment.options.operationTimeout)),
      thread_(environment, environment.options.conninfo, *this), store_(thread_.store()) {}

void EndWriter::stop() {
    const Lock lock(mutex_);
    stopping_ = true;
    condition_.notify_all();
}

void EndWriter::add(PendingEnd end) {
    const Lock lock(mutex_);
    waiting_.push_back({std::move(end)});
    condition_.notify_all();
}

/// After a pause, or when the ends that were kept may be written.
void EndWriter::resume() {
    const Lock lock(mutex_);
    std::move(later_.begin(), later_.end(), std::back_inserter(waiting_));
    later_.clear();
    condition_.notify_all();
}

bool EndWriter::waitForWork() {
    Lock lock(mutex_);
    while (!stopping_ && (thread_.paused() || waiting_.empty())) condition_.wait(lock);
    takeBatch(lock);
    return !stopping_;
}

/// As much of what is waiting as may go in one statement.
void EndWriter::takeBatch(const Lock& lock) {
    assertHeld(lock, mutex_);
    JTIMER_ASSERT(batch_.empty());
    auto last = waiting_.begin();
    for (std::size_t bytes = 0; last != waiting_.end(); ++last) {
        const auto count = static_cast<std::size_t>(last - waiting_.begin());
        bytes += bytesOf(*last);
        if (count > 0 && (count >= mostEnds_.get() || bytes > mostBytes_.get())) break;
    }
    batch_.assign(std::make_move_iterator(waiting_.begin()), std::make_move_iterator(last));
    waiting_.erase(waiting_.begin(), last);
}

/// What is not written waits again, in front of the others. But an end that is too large for the
/// line must not hold them up.
void EndWriter::pausing(Micros) {
    const Lock lock(mutex_);
    const auto place = std::exchange(tooLarge_, false) ? waiting_.end() : waiting_.begin();
    waiting_.insert(place, std::make_move_iterator(batch_.begin()),
                    std::make_move_iterator(batch_.end()));
    batch_.clear();
}

/// Takes out of the batch what it has written. If it throws, the rest has not been.
void EndWriter::work() {
    soon_ = false;
    repeats_ = false;
    tooLarge_ = false;
    checkCompleted();
    try {
        write(batch_);
    } catch (const std::exception&) {
        if (!store_.connected()) throw;
        writeOneByOne();
    }
    if (repeats_) calls_.lookForTasks();
    if (soon_) calls_.notifyNodes();
}

/// complete() has written the ends of some runs; have their transactions been committed?
void EndWriter::checkCompleted() {
    for (std::size_t i = 0; i < batch_.size();) {
        Waiting& end = batch_[i];
        const auto status = end.completedIn.has_value()
                                ? store_.outcomeOf(*end.completedIn, *end.task)
                                : std::nullopt;
        if (status.has_value()) {
            const bool written = *status == EndStatus::Written;
            environment_.counters.add(written ? &Stats::succeeded : &Stats::fenced);
            repeats_ = true;
            if (!written) end.nextDue.reset();
            tell(end, end, written ? Outcome::Succeeded : Outcome::Fenced);
            calls_.endWritten(end.task->token);
            batch_.erase(batch_.begin() + static_cast<std::ptrdiff_t>(i));
            continue;
        }
        // If not, the failure is written as any other.
        if (end.completedIn.has_value() && !end.reported) calls_.report(end.error);
        end.completedIn.reset();
        ++i;
    }
}

void EndWriter::write(std::vector<Waiting>& ends) {
    std::vector<End> written(ends.begin(), ends.end());
    std::vector<EndStatus> statuses;
    const std::int64_t sentAt = environment_.clock->nanos();
    const auto elapsed = [&] { return (environment_.clock->nanos() - sentAt) / 1000; };
    try {
        statuses = store_.writeEnds(written, environment_.history.load(std::memory_order_relaxed));
    } catch (const DatabaseException& exception) {
        const bool unknown = dynamic_cast<const OutcomeUnknownException*>(&exception) != nullptr;
        for (Waiting& end : ends) end.repeated |= unknown;
        if (isTimeOut(exception, elapsed(), toMicros(environment_.options.operationTimeout)))
            timedOut(ends);
        throw;
    }
    mostEnds_.passed(ends.size(), elapsed());
    mostBytes_.passed(bytesOfAll(ends), elapsed());
    for (std::size_t i = 0; i < ends.size(); ++i) settle(ends[i], written[i], statuses[i]);
    ends.clear();
}

/// The first time in a row, it may have been the connection that had become silent.
void EndWriter::timedOut(const std::vector<Waiting>& ends) {
    const std::size_t bytes = bytesOfAll(ends);
    mostEnds_.timedOut(ends.size());
    mostBytes_.timedOut(bytes);
    tooLarge_ = ends.size() == 1;
    if (!tooLarge_ || thread_.failures() == 0) return;
    const ClaimedTask& task = *ends.front().task;
    environment_.slowLine.timedOut("the end of task", task.name, task.id, bytes);
}

/// The server has refused the batch: one end that it refuses must not hold up the others.
void EndWriter::writeOneByOne() {
    while (!batch_.empty()) {
        std::vector<Waiting> one;
        one.push_back(std::move(batch_.back()));
        batch_.pop_back();
        try {
            write(one);
        } catch (const std::exception& exception) {
            Waiting& end = one.front();
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

/// Counts what the server has said of the end, and tells it.
/// \param written what was written: a cron task may have become dead
void EndWriter::settle(const Waiting& end, const End& written, EndStatus status) {
    if (status == EndStatus::Locked) {
        Waiting again = end;
        again.wasLocked = true;
        return keep(std::move(again), kUnlockDelay);
    }
    Outcome outcome = Outcome::Fenced;
    // If it may have been written before, it cannot be told from one that was.
    if (status == EndStatus::Fenced && !end.repeated) {
        environment_.counters.add(&Stats::fenced);
    } else {
        outcome = countWritten(end, written);
    }
    tell(end, written, outcome);
    calls_.endWritten(end.task->token);
}

Outcome EndWriter::countWritten(const Waiting& end, const End& written) {
    const End::Kind kind = written.kind;
    const bool repeats = end.task->recurrence.repeats() && kind != End::Kind::Dead;
    repeats_ |= repeats || end.again.has_value() || kind == End::Kind::Retry;
    soon_ |= end.again.has_value() || (repeats && end.task->recurrence.period <=
                                                      toMicros(environment_.options.pollInterval));
    if (end.ran)
        environment_.counters.add(end.kind == End::Kind::Success ? &Stats::succeeded
                                                                 : &Stats::failed);
    if (kind == End::Kind::Success) return Outcome::Succeeded;
    if (kind == End::Kind::Retry) {
        environment_.counters.add(&Stats::retried);
        return Outcome::Retrying;
    }
    if (kind == End::Kind::Dead || (kind == End::Kind::GiveUp && !repeats)) {
        environment_.counters.add(&Stats::died);
        printGivenUp(end, "is dead", written.error);
        return Outcome::Dead;
    }
    if (kind == End::Kind::GoOn && !end.ran) printGivenUp(end, "has failed", written.error);
    return Outcome::GaveUp;
}

void EndWriter::tell(const PendingEnd& end, const End& written, Outcome outcome) const {
    if (environment_.options.onRunEnd) calls_.tell(toRunEnd(end, written, outcome));
}

void EndWriter::printGivenUp(const PendingEnd& end, const char* what, const std::string& error) {
    const int attempts = end.ran ? end.task->attempt : end.task->attempt - 1;
    printLine("Task \"" + end.task->name + "\" \"" + end.task->id + "\" " + what + " after " +
              std::to_string(attempts) + (attempts == 1 ? " attempt: " : " attempts: ") + error);
}

void EndWriter::keep(Waiting end, Micros delay) {
    bool first = false;
    {
        const Lock lock(mutex_);
        first = later_.empty();
        later_.push_back(std::move(end));
    }
    // Setting the alarm again and again would put it off for ever.
    if (first) laterAlarm_.setIn(delay);
}

}  // namespace jtimer::cluster::detail
