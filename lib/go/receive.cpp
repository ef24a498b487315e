// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "go/receive.hpp"

#include "clock/default_clocks.hpp"
#include "go/access.hpp"
#include "go/channel_cell.hpp"
#include "go/errors.hpp"
#include "go/runtime.hpp"

#include <jtimer/exceptions.hpp>
#include <jtimer/go/channel.hpp>
#include <jtimer/go/timers.hpp>

#include <algorithm>
#include <limits>
#include <list>
#include <memory>

namespace jtimer::go::detail {

namespace {

using Runtimes = std::vector<Runtime*>;

/// In place of a channel's index: the end of a runtime.
constexpr std::size_t kEnd = std::numeric_limits<std::size_t>::max();

/// The runtimes that can end the call. An event or a Chan belongs to no runtime: a function that
/// waits for one ends with the runtime that its thread belongs to.
Runtimes runtimesOf(const Sources& sources, Runtime* timeOuts) {
    Runtimes runtimes;
    const auto add = [&runtimes](Runtime* runtime) {
        if (runtime == nullptr) return;
        if (std::find(runtimes.begin(), runtimes.end(), runtime) == runtimes.end())
            runtimes.push_back(runtime);
    };
    add(timeOuts);
    for (const Candidate& candidate : sources.cells) add(&candidate.cell->runtime());
    if (sources.hasUntimed()) add(Runtime::ofThisThread());
    return runtimes;
}

/// The monitor on which the calling thread waits. A function thread takes part in its clock, so it
/// waits on its own monitor if that has the clock of this call, or if the call waits for an event
/// or in a Chan, which other threads may end at any time of any clock. All other threads take part
/// in no clock while they wait: the poller ends their waits, by the runtime's clock.
std::shared_ptr<Monitor> monitorFor(const Runtimes& runtimes, bool isUntimed) {
    auto own = FunctionThreads::monitorOfThisThread();
    const auto isOnItsClock = [&own](const Runtime* runtime) {
        return runtime->clock() == own->clock();
    };
    if (own != nullptr &&
        (isUntimed || std::any_of(runtimes.begin(), runtimes.end(), isOnItsClock)))
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
    /// \param sources must exist as long as this object
    /// \throws IllegalStateException if the calling thread must not block
    Standing(Sources& sources, Runtime* timeOuts, const std::optional<TimeOut>& timeOut)
        : keptAlive_(timeOuts == nullptr ? nullptr : timeOuts->shared_from_this()),
          sources_(sources) {
        const Runtimes runtimes = runtimesOf(sources, timeOuts);
        const bool isUntimed = sources.hasUntimed();
        wait_.reset(new Wait(sources.cells, timeOut, monitorFor(runtimes, isUntimed)), false);
        if (isUntimed) wait_->hope();
        for (const Runtime* const runtime : runtimes) {
            runtime->requireNotOver();
            if (runtime->isPoller()) throw IllegalStateException(kOnPoller);
            ends_.emplace_back(runtime->ended(), kEnd);
        }
        if (addTo(ends_)) addTo(sources.events);
    }
    Standing(const Standing&) = delete;
    Standing& operator=(const Standing&) = delete;
    ~Standing() {
        if (shard_ != nullptr) shard_->remove(*wait_);
        for (TimerCase& c : *wait_) c.cell->removeWaiter(c);
        for (ChanCase& chan : sources_.chans) chan.cell->removeWaiter(chan);
        for (EventCase& event : sources_.events) event.cell->removeWaiter(event);
        for (EventCase& end : ends_) end.cell->removeWaiter(end);
    }

    /// Adds the wait to a heap.
    void addTimeOut(Nanos deadline) {
        Shard& shard = keptAlive_->shardOfThisThread();
        const bool isFirst = shard.add(*wait_, deadline);
        shard_ = &shard;
        if (isFirst) keptAlive_->signal(deadline);
    }

    /// From now on also waits for the timers and the Chans.
    /// \throws IllegalStateException if no value can ever come
    void begin(LockedSources& locked) {
        locked.add(*wait_);
        if (wait_->isHopeless()) throw IllegalStateException(kHopeless);
    }

    Wait& wait() const noexcept { return *wait_; }

  private:
    /// An event that is set meanwhile ends the call at once. \returns whether none was
    bool addTo(std::list<EventCase>& events) {
        for (EventCase& event : events) {
            event.wait = wait_.get();
            if (event.cell->addWaiter(event)) continue;
            if (wait_->claimReceived(event.index, kEventValue)) wait_->wake();
            return false;
        }
        return true;
    }

    const std::shared_ptr<Runtime> keptAlive_;  ///< the one of the time-out
    Sources& sources_;
    std::list<EventCase> ends_;
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

std::optional<Received> receiveAny(Sources& sources, Runtime* timeOuts,
                                   std::optional<Nanos> timeout) {
    if (timeOuts == nullptr && !sources.cells.empty())
        timeOuts = &sources.cells.front().cell->runtime();
    Runtime* const over = sources.prepare();
    std::optional<TimeOut> timeOut;
    const auto startTimeOut = [&] {
        if (timeOuts != nullptr && timeout && *timeout > 0)
            timeOut.emplace(TimeOut{timeOuts->timeIn(*timeout), *timeOuts->clock()});
    };
    startTimeOut();

    WakeList toWake;  // outlives the locks
    sources.catchUp();
    if (const auto received = LockedSources(sources).takeReady(timeOut, toWake)) return received;
    toWake.wakeAll();
    if (timeout && *timeout <= 0) return std::nullopt;
    if (over != nullptr) over->requireNotOver();
    sources.requireOfThisProcess();
    if (timeout && timeOuts == nullptr) {
        timeOuts = Access::runtime(defaultTimers()).get();
        startTimeOut();
    }

    Standing standing(sources, timeOuts, timeOut);
    if (timeOut) standing.addTimeOut(timeOut->time);
    sources.catchUp();
    {
        LockedSources locked(sources);
        if (const auto received = locked.takeReady(timeOut, toWake)) return received;
        standing.begin(locked);
    }
    toWake.wakeAll();
    return outcomeOf(standing.wait());
}

}  // namespace jtimer::go::detail
