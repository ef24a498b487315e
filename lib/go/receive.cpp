// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "go/receive.hpp"

#include "clock/default_clocks.hpp"
#include "go/channel_cell.hpp"
#include "go/errors.hpp"
#include "go/runtime.hpp"

#include <jtimer/exceptions.hpp>
#include <jtimer/go/channel.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <list>
#include <memory>
#include <tuple>
#include <utility>

namespace jtimer::go::detail {

namespace {

using Candidates = std::vector<Candidate>;
using Runtimes = std::vector<Runtime*>;

/// In place of a channel's index: the end of a runtime.
constexpr std::size_t kEnd = std::numeric_limits<std::size_t>::max();

/// Holds the locks of all cells during its lifetime.
class AllLocked {
  public:
    explicit AllLocked(Candidates& candidates) : candidates_(candidates) {
        for (Candidate& candidate : candidates_) candidate.lock = candidate.cell->lock();
    }
    AllLocked(const AllLocked&) = delete;
    AllLocked& operator=(const AllLocked&) = delete;
    ~AllLocked() {
        for (Candidate& candidate : candidates_) candidate.lock = CellLock();
    }

  private:
    Candidates& candidates_;
};

/// Sorts by locking order, and keeps each cell once: if a channel is listed twice, the first
/// one receives.
void sortByAddress(Candidates& candidates) {
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
        return a.cell != b.cell ? std::less<>()(a.cell, b.cell) : a.index < b.index;
    });
    const auto isSame = [](const Candidate& a, const Candidate& b) { return a.cell == b.cell; };
    candidates.erase(std::unique(candidates.begin(), candidates.end(), isSame), candidates.end());
}

/// Removes the candidates whose runtime is over, from which nothing can be received. Takes no lock.
/// \returns the runtime of one of them, if any
Runtime* removeOver(Candidates& candidates) {
    Runtime* over = nullptr;
    const auto isOver = [&over](const Candidate& candidate) {
        Runtime& runtime = candidate.cell->runtime();
        if (!runtime.isOver()) return false;
        over = &runtime;
        return true;
    };
    candidates.erase(std::remove_if(candidates.begin(), candidates.end(), isOver),
                     candidates.end());
    return over;
}

void catchUp(const Candidates& candidates) {
    for (const Candidate& candidate : candidates) candidate.cell->catchUp();
}

/// A value that one of the candidates has ready.
struct Ready {
    std::size_t place;  ///< among the candidates
    Received received;
};

/// A due value is ready unless an older call takes it, or the time-out of this call comes before
/// it. If values are equal, the one from the channel named first is the earliest.
std::optional<Ready> findEarliest(const AllLocked&, Candidates& candidates,
                                  const std::optional<TimeOut>& timeOut, WakeList& toWake) {
    std::optional<Ready> earliest;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const std::optional<Nanos> value = candidates[i].cell->ready(candidates[i].lock, toWake);
        if (!value) continue;
        if (timeOut && timeOut->isBefore(*value, *candidates[i].cell->runtime().clock())) continue;
        const Received received{candidates[i].index, *value};
        const auto order = [](const Received& r) { return std::pair(r.value, r.index); };
        if (!earliest || order(received) < order(earliest->received)) earliest = {i, received};
    }
    return earliest;
}

/// If the runtime of the earliest value ends meanwhile, none of its values are ready any more, and
/// the next value is tried.
std::optional<Received> takeEarliest(const AllLocked& locked, Candidates& candidates,
                                     const std::optional<TimeOut>& timeOut, WakeList& toWake) {
    while (const auto earliest = findEarliest(locked, candidates, timeOut, toWake)) {
        Candidate& candidate = candidates[earliest->place];
        if (candidate.cell->take(candidate.lock, toWake)) return earliest->received;
    }
    return std::nullopt;
}

/// A source that a contested select may choose.
struct Contender {
    /// The least is chosen: what was chosen longest ago; of what never was, an event before a
    /// timer, of timers the earliest value, and then the first in the list.
    std::tuple<std::int64_t, bool, Nanos, std::size_t> order;
    LastTurn* turn;
    Received received;
    std::optional<std::size_t> place;  ///< of a timer, among the candidates
};

using Contenders = std::vector<Contender>;

void addSetEvents(const std::list<EventCase>& events, std::uint32_t now, Contenders& contenders) {
    for (const EventCase& event : events) {
        if (!event.cell->isSet()) continue;
        LastTurn* const turn = &event.cell->lastTurn();
        const auto isSame = [turn](const Contender& other) { return other.turn == turn; };
        if (std::any_of(contenders.begin(), contenders.end(), isSame)) continue;
        contenders.push_back({{turn->since(now), false, kEventValue, event.index},
                              turn,
                              {event.index, kEventValue},
                              std::nullopt});
    }
}

void addReadyTimers(const AllLocked&, Candidates& candidates, std::uint32_t now,
                    Contenders& contenders, WakeList& toWake) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        Candidate& candidate = candidates[i];
        const std::optional<Nanos> value = candidate.cell->ready(candidate.lock, toWake);
        if (!value) continue;
        LastTurn* const turn = &candidate.cell->lastTurn();
        contenders.push_back({{turn->since(now), true, *value, candidate.index},
                              turn,
                              {candidate.index, *value},
                              i});
    }
}

/// The runtimes that can end the call. An event belongs to no runtime: a function that waits for
/// one ends with the runtime that its thread belongs to.
Runtimes runtimesOf(const Sources& sources, Runtime* timeOuts) {
    Runtimes runtimes;
    const auto add = [&runtimes](Runtime* runtime) {
        if (runtime == nullptr) return;
        if (std::find(runtimes.begin(), runtimes.end(), runtime) == runtimes.end())
            runtimes.push_back(runtime);
    };
    add(timeOuts);
    for (const Candidate& candidate : sources.cells) add(&candidate.cell->runtime());
    if (!sources.events.empty()) add(Runtime::ofThisThread());
    return runtimes;
}

/// The monitor on which the calling thread waits. A function thread takes part in its clock, so it
/// waits on its own monitor if that has the clock of this call, or if the call waits for an event,
/// which may be set at any time of any clock. All other threads take part in no clock while they
/// wait: the poller ends their waits, by the runtime's clock.
std::shared_ptr<Monitor> monitorFor(const Runtimes& runtimes, bool hasEvents) {
    auto own = FunctionThreads::monitorOfThisThread();
    const auto isOnItsClock = [&own](const Runtime* runtime) {
        return runtime->clock() == own->clock();
    };
    if (own != nullptr &&
        (hasEvents || std::any_of(runtimes.begin(), runtimes.end(), isOnItsClock)))
        return own;
    return std::make_shared<Monitor>(jtimer::detail::defaultClock<jtimer::SteadyClock>());
}

/// Keeps a Wait in all the lists it belongs to during its own lifetime. It is constructed, and so
/// allocates all memory, before the cells are locked: while a thread holds these locks, it delays
/// all users of the channels.
class Standing {
  public:
    /// Adds the wait to the lists of the events and of the ends of the runtimes. So the call may
    /// end before begin().
    /// \throws IllegalStateException if the calling thread must not block
    Standing(Sources& sources, Runtime* timeOuts, const std::optional<TimeOut>& timeOut)
        : keptAlive_(timeOuts == nullptr ? nullptr : timeOuts->shared_from_this()) {
        const Runtimes runtimes = runtimesOf(sources, timeOuts);
        const bool hasEvents = !sources.events.empty();
        wait_.reset(new Wait(sources.cells, timeOut, monitorFor(runtimes, hasEvents)), false);
        if (hasEvents) wait_->hope();
        for (const Runtime* const runtime : runtimes) {
            runtime->requireNotOver();
            if (runtime->isPoller()) throw IllegalStateException(kOnPoller);
            events_.emplace_back(runtime->ended(), kEnd);
        }
        for (const EventCase& event : sources.events) event.cell->requireOfThisProcess();
        events_.splice(events_.end(), sources.events);
        addToEvents();
    }
    Standing(const Standing&) = delete;
    Standing& operator=(const Standing&) = delete;
    ~Standing() {
        if (shard_ != nullptr) shard_->remove(*wait_);
        for (TimerCase& c : *wait_) c.cell->removeWaiter(c);
        for (EventCase& event : events_) event.cell->removeWaiter(event);
    }

    /// Adds the wait to a heap.
    void addTimeOut(Nanos deadline) {
        Shard& shard = keptAlive_->shardOfThisThread();
        const bool isFirst = shard.add(*wait_, deadline);
        shard_ = &shard;
        if (isFirst) keptAlive_->signal(deadline);
    }

    /// From now on also waits for the channels.
    /// \throws IllegalStateException if no value can ever come
    void begin(const AllLocked&, Candidates& candidates) {
        TimerCase* next = wait_->begin();
        for (Candidate& candidate : candidates) {
            TimerCase& c = *next++;
            if (!wait_->hasTimeOut() && candidate.cell->isHopeless(candidate.lock)) continue;
            wait_->hope();
            candidate.cell->addWaiter(candidate.lock, c);
        }
        if (wait_->isHopeless()) throw IllegalStateException(kHopeless);
    }

    Wait& wait() const noexcept { return *wait_; }

  private:
    /// An event that is set meanwhile ends the call at once.
    void addToEvents() {
        for (EventCase& event : events_) {
            event.wait = wait_.get();
            if (event.cell->addWaiter(event)) continue;
            if (wait_->claimReceived(event.index, kEventValue)) wait_->wake();
            return;
        }
    }

    const std::shared_ptr<Runtime> keptAlive_;  ///< the one of the time-out
    std::list<EventCase> events_;
    Ref<Wait> wait_;
    Shard* shard_ = nullptr;
};

std::optional<Received> outcomeOf(Wait& wait) {
    switch (wait.await()) {
    case Wait::Outcome::Received:
        if (wait.index() == kEnd) throw TimersDestroyed(kDestroyed);
        return Received{wait.index(), wait.value()};
    case Wait::Outcome::Hopeless:
        throw IllegalStateException(kHopeless);
    case Wait::Outcome::TimedOut:
    case Wait::Outcome::Pending:
        break;
    }
    return std::nullopt;
}

}  // namespace

Received receiveBesideEvents(Sources sources) {
    Candidates& candidates = sources.cells;
    if (candidates.empty() && sources.events.size() == 1)
        return {sources.events.front().index, kEventValue};
    sortByAddress(candidates);
    removeOver(candidates);
    Contenders contenders;  // has all its memory before the cells are locked
    contenders.reserve(sources.events.size() + candidates.size());
    WakeList toWake;  // outlives the locks
    catchUp(candidates);
    const AllLocked locked(candidates);
    for (;;) {
        const std::uint32_t now = LastTurn::last.load(std::memory_order_relaxed);
        contenders.clear();
        addSetEvents(sources.events, now, contenders);
        addReadyTimers(locked, candidates, now, contenders, toWake);
        const Contender& chosen = *std::min_element(
            contenders.begin(), contenders.end(),
            [](const Contender& a, const Contender& b) { return a.order < b.order; });
        if (chosen.place) {
            Candidate& candidate = candidates[*chosen.place];
            // If its runtime has ended meanwhile, it is not ready any more.
            if (!candidate.cell->take(candidate.lock, toWake)) continue;
        }
        if (contenders.size() > 1) chosen.turn->take();
        return chosen.received;
    }
}

std::optional<Received> receiveAny(Sources sources, Runtime* timeOuts,
                                   std::optional<Nanos> timeout) {
    Candidates& candidates = sources.cells;
    sortByAddress(candidates);
    Runtime* const over = removeOver(candidates);
    std::optional<TimeOut> timeOut;
    if (timeout && *timeout > 0)
        timeOut.emplace(TimeOut{timeOuts->timeIn(*timeout), *timeOuts->clock()});

    WakeList toWake;  // outlives the locks
    catchUp(candidates);
    {
        const AllLocked locked(candidates);
        if (const auto received = takeEarliest(locked, candidates, timeOut, toWake))
            return received;
    }
    toWake.wakeAll();
    if (timeout && *timeout <= 0) return std::nullopt;
    if (over != nullptr) over->requireNotOver();

    Standing standing(sources, timeOuts, timeOut);
    if (timeOut) standing.addTimeOut(timeOut->time);
    catchUp(candidates);
    {
        const AllLocked locked(candidates);
        if (const auto received = takeEarliest(locked, candidates, timeOut, toWake))
            return received;
        standing.begin(locked, candidates);
    }
    toWake.wakeAll();
    return outcomeOf(standing.wait());
}

}  // namespace jtimer::go::detail
