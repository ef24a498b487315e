// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// How a Dispatcher keeps limits: it abandons runs that do not return after their time limit, and
// claims no more tasks of a name than may run at once.

#include "cluster/assert_held.hpp"
#include "cluster/backoff.hpp"
#include "cluster/dispatcher.hpp"
#include "cluster/pending_end.hpp"
#include "cluster/reports.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace jtimer::cluster::detail {

namespace {

/// Until names that another node was just claiming are claimed again. Not the same for all nodes
/// that they were left out of.
Micros leftOutDelay() {
    constexpr double least = 10'000, most = 20'000;
    return static_cast<Micros>(least + (most - least) * randomFraction());
}

}  // namespace

/// Under the mutex, so that it does not go off before the run is in hand.
std::shared_ptr<TimerTask> Dispatcher::setAlarm(const RunState& run) {
    const std::optional<TimeSpan> wait = run.limit().untilGraceOver();
    if (!wait.has_value()) return nullptr;
    return environment_.timer->schedule([this, token = run.task().token] { abandon(token); },
                                        *wait);
}

/// On the timer's thread, not on this one, which may be waiting for the server, and which is over
/// while stop() waits. The handler's thread may return at any time:
///
/// 1. RunState::abandon() decides, by an atomic exchange, whether it has. If not, Run::leaseLost()
///    has been true since before, by the clock: nothing that the handler does can pass for an
///    effect of the run whose lease is in force.
/// 2. Under the mutex the run is marked as failing. An end that comes now does not go to the
///    EndWriter, where it could overtake the failure: see isLate().
/// 3. The failure is written with the token, and frees the task. When that is settled,
///    endWritten() lets the handler's own end follow. It meets a row without an owner, or of
///    another token: the fence of the table holds it off, as after a lost lease. If complete() was
///    committed before, it is the failure that was fenced.
void Dispatcher::abandon(Token token) {
    std::optional<PendingEnd> failure;
    std::string line;
    bool allSlots = false;
    {
        const Lock lock(mutex_);
        const auto found = inHand_.find(token);
        if (found == inHand_.end() || !found->second.occupiesSlot) return;
        RunState& run = *found->second.run;
        failure = run.abandon();
        if (!failure.has_value()) return;
        found->second.abandoned = true;
        found->second.failing = true;
        line = "Task \"" + run.task().name + "\" \"" + run.task().id +
               "\" is abandoned: it has not returned " + run.limit().graceText() +
               " after its time limit of " + run.limit().timeText();
        const auto slots = static_cast<std::size_t>(environment_.options.concurrency);
        allSlots = abandonedRunning(lock) == slots;
    }
    printLine(line);
    if (allSlots)
        printLine("Node \"" + *environment_.options.name +
                  "\" runs nothing more: abandoned runs hold all of its slots");
    report(failure->error);
    if (environment_.options.onRunEnd)
        calls_.tell(toRunEnd(*failure, *failure, Outcome::Abandoned));
    calls_.runEnded(std::move(*failure));
}

/// Whether the failure of the run as an abandoned one has not been written yet. Then its end is
/// kept, to be written after that.
bool Dispatcher::isLate(PendingEnd& end) {
    const Lock lock(mutex_);
    const auto found = inHand_.find(end.task->token);
    if (found == inHand_.end() || !found->second.failing) return false;
    found->second.late = std::move(end);
    return true;
}

std::size_t Dispatcher::abandonedRunning(const Lock& lock) const {
    assertHeld(lock, mutex_);
    return static_cast<std::size_t>(
        std::count_if(inHand_.begin(), inHand_.end(), [](const InHandMap::value_type& entry) {
            return entry.second.abandoned && entry.second.occupiesSlot;
        }));
}

void Dispatcher::freeSlot(const Lock& lock, InHand& run) {
    assertHeld(lock, mutex_);
    if (!run.occupiesSlot) return;
    run.occupiesSlot = false;
    if (limits_.freed(run.run->task().name)) {
        turns_.want(Limited::InNode);
        condition_.notify_all();
    }
    if (run.alarm != nullptr) run.alarm->cancel();
    run.alarm.reset();
}

/// By a turn of their own, so that a name without room costs the others nothing.
void Dispatcher::claimLimited(Limited names, int limit, const std::shared_ptr<const Lease>& lease) {
    full_ = false;
    std::vector<LimitedName> rooms;
    {
        const Lock lock(mutex_);
        rooms = limits_.roomOf(names_.get(names), limit);
    }
    if (rooms.empty()) return wake(names).setIn(pollInterval_);  // or as soon as a slot is free
    std::vector<std::string> asked;
    asked.reserve(rooms.size());
    for (const LimitedName& each : rooms) asked.push_back(each.name);
    const std::int64_t sentAt = environment_.clock->nanos();
    std::optional<Claim> claim = ask(asked, limit, [&] {
        const Claimer claimer = names_.claimer();
        return names == Limited::InNode
                   ? store_.claimLimited(claimer, rooms, limit, pollInterval_)
                   : store_.claimInCluster(claimer, rooms, limit, pollInterval_);
    });
    if (!claim.has_value()) return;
    {
        const Lock lock(mutex_);
        limits_.looked(rooms, claim->left);
    }
    full_ = claim->tasks.size() >= static_cast<std::size_t>(limit);
    if (full_) {
        want(names);
    } else {
        const Micros next = nextLook(*claim, sentAt);
        wake(names).setIn(claim->leftOut ? std::min(next, leftOutDelay()) : next);
    }
    beginAll(*claim, lease);
}

}  // namespace jtimer::cluster::detail
