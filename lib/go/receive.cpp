// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "go/receive.hpp"

#include "clock/default_clocks.hpp"
#include "go/cell.hpp"
#include "go/errors.hpp"
#include "go/runtime.hpp"

#include <jtimer/exceptions.hpp>

#include <algorithm>
#include <functional>
#include <utility>

namespace jtimer::go::detail {

namespace {

using Candidates = std::vector<Candidate>;
using CellLocks = std::vector<CellLock>;
using Runtimes = std::vector<std::shared_ptr<Runtime>>;

/// In the order in which locks are taken, and each cell once: of a channel that stands twice, the
/// first is the one that receives.
void sortByAddress(Candidates& candidates) {
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
        return a.cell != b.cell ? std::less<>()(a.cell, b.cell) : a.index < b.index;
    });
    const auto isSame = [](const Candidate& a, const Candidate& b) { return a.cell == b.cell; };
    candidates.erase(std::unique(candidates.begin(), candidates.end(), isSame), candidates.end());
}

/// Takes out those of which nothing can be received any more, with no lock taken.
/// \returns the runtime of one of them, if there is one
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

/// What one of the candidates has ready.
struct Ready {
    std::size_t place;  ///< among the candidates
    Received received;
};

/// With the lock of every cell held. What is due then is ready, unless an older call takes it; of
/// equal values, that of the channel named first is the earliest.
std::optional<Ready> findEarliest(const Candidates& candidates, CellLocks& locks,
                                  WakeList& toWake) {
    std::optional<Ready> earliest;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const std::optional<Nanos> value = candidates[i].cell->ready(locks[i], toWake);
        if (!value) continue;
        const Received received{candidates[i].index, *value};
        const auto order = [](const Received& r) { return std::pair(r.value, r.index); };
        if (!earliest || order(received) < order(earliest->received)) earliest = {i, received};
    }
    return earliest;
}

/// With the lock of every cell held. If the runtime of the earliest ends meanwhile, nothing of it
/// is ready any more, and the next is tried.
std::optional<Received> takeEarliest(const Candidates& candidates, CellLocks& locks,
                                     WakeList& toWake) {
    while (const auto earliest = findEarliest(candidates, locks, toWake)) {
        const std::size_t place = earliest->place;
        if (candidates[place].cell->take(locks[place], toWake)) return earliest->received;
    }
    return std::nullopt;
}

Runtimes runtimesOf(const Candidates& candidates, Runtime& timeOuts) {
    Runtimes runtimes{timeOuts.shared_from_this()};
    for (const Candidate& candidate : candidates) {
        auto runtime = candidate.cell->runtime().shared_from_this();
        if (std::find(runtimes.begin(), runtimes.end(), runtime) == runtimes.end()) {
            runtimes.push_back(std::move(runtime));
        }
    }
    return runtimes;
}

/// What the calling thread waits on. A room thread takes part in its clock, so it waits there if
/// that is the clock of this call. Every other thread waits outside of all clocks: it is the poller
/// that ends its wait, by the runtime's clock.
std::shared_ptr<Monitor> monitorFor(const Runtimes& runtimes) {
    for (const auto& runtime : runtimes) {
        if (auto monitor = RoomThreads::monitorOfThisThread(runtime->clock())) return monitor;
    }
    return std::make_shared<Monitor>(jtimer::detail::defaultSteadyClock());
}

/// Has a Wait stand wherever it has to while it exists.
class Standing {
  public:
    /// \param locks of the cells, in their order, which are released
    Standing(Wait& wait, Runtimes runtimes, CellLocks& locks, Runtime& timeOuts)
        : wait_(wait), runtimes_(std::move(runtimes)) {
        try {
            begin(locks, timeOuts);
        } catch (...) {
            locks.clear();
            end();
            throw;
        }
        locks.clear();
    }
    Standing(const Standing&) = delete;
    Standing& operator=(const Standing&) = delete;
    ~Standing() { end(); }

  private:
    void begin(CellLocks& locks, Runtime& timeOuts) {
        for (const auto& runtime : runtimes_) runtime->enlist(wait_);
        if (wait_.hasDeadline()) addTimeOut(timeOuts);
        std::size_t i = 0;
        for (Case& c : wait_) {
            CellLock& lock = locks[i++];
            if (!wait_.hasDeadline() && c.cell->isHopeless(lock)) continue;
            wait_.hope();
            c.cell->addWaiter(lock, c);
        }
    }

    void end() noexcept {
        if (shard_ != nullptr) shard_->remove(wait_);
        for (Case& c : wait_) c.cell->removeWaiter(c);
        for (const auto& runtime : runtimes_) runtime->strike(wait_);
    }

    void addTimeOut(Runtime& runtime) {
        Shard& shard = runtime.shardOfThisThread();
        if (shard.add(wait_, wait_.deadline())) runtime.signal(wait_.deadline());
        shard_ = &shard;
    }

    Wait& wait_;
    const Runtimes runtimes_;
    Shard* shard_ = nullptr;
};

/// Why the call must not block, if so.
void requireMayWait(const Candidates& candidates, CellLocks& locks, const Runtimes& runtimes,
                    bool hasTimeout) {
    for (const auto& runtime : runtimes) {
        runtime->requireNotOver();
        if (runtime->isPoller()) throw IllegalStateException(kOnPoller);
    }
    if (hasTimeout) return;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (!candidates[i].cell->isHopeless(locks[i])) return;
    }
    throw IllegalStateException(kHopeless);
}

std::optional<Received> outcomeOf(Wait& wait) {
    switch (wait.await()) {
    case Wait::Outcome::Received:
        return Received{wait.index(), wait.value()};
    case Wait::Outcome::Hopeless:
        throw IllegalStateException(kHopeless);
    case Wait::Outcome::Destroyed:
        throw IllegalStateException(kDestroyed);
    case Wait::Outcome::TimedOut:
    case Wait::Outcome::Pending:
        break;
    }
    return std::nullopt;
}

}  // namespace

std::optional<Received> receiveAny(Candidates candidates, Runtime& timeOuts,
                                   std::optional<Nanos> timeout) {
    sortByAddress(candidates);
    Runtime* const over = removeOver(candidates);
    std::optional<Nanos> deadline;
    if (timeout) deadline = timeOuts.timeIn(*timeout);
    for (const Candidate& candidate : candidates) candidate.cell->catchUp();

    WakeList toWake;  // outlives the locks
    CellLocks locks;
    locks.reserve(candidates.size());
    for (const Candidate& candidate : candidates) locks.push_back(candidate.cell->lock());
    if (const auto received = takeEarliest(candidates, locks, toWake)) return received;
    if (timeout && *timeout <= 0) return std::nullopt;
    if (over != nullptr) over->requireNotOver();

    Runtimes runtimes = runtimesOf(candidates, timeOuts);
    requireMayWait(candidates, locks, runtimes, timeout.has_value());
    const auto wait = std::make_shared<Wait>(candidates, deadline, monitorFor(runtimes));
    const Standing standing(*wait, std::move(runtimes), locks, timeOuts);
    toWake.wakeAll();
    return outcomeOf(*wait);
}

}  // namespace jtimer::go::detail
