// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "go/sources.hpp"

#include "go/channel_cell.hpp"
#include "go/runtime.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <tuple>

namespace jtimer::go::detail {

void Sources::add(Item& item, std::size_t index) {
    if (item.isEvent()) {
        events.emplace_back(static_cast<EventCell&>(item), index);
    } else {
        cells.push_back({&static_cast<ChannelCell&>(item), index});
    }
}

void Sources::requireOfThisProcess() const {
    for (const EventCase& event : events) event.cell->requireOfThisProcess();
    for (const ChanCase& chan : chans) chan.cell->requireOfThisProcess();
}

Runtime* Sources::prepare() {
    chans.sort([](const ChanCase& a, const ChanCase& b) {
        return std::less<>()(a.cell.get(), b.cell.get());
    });
    std::sort(cells.begin(), cells.end(), [](const Candidate& a, const Candidate& b) {
        return a.cell != b.cell ? std::less<>()(a.cell, b.cell) : a.index < b.index;
    });
    const auto isSame = [](const Candidate& a, const Candidate& b) { return a.cell == b.cell; };
    cells.erase(std::unique(cells.begin(), cells.end(), isSame), cells.end());

    Runtime* over = nullptr;
    const auto isOver = [&over](const Candidate& candidate) {
        Runtime& runtime = candidate.cell->runtime();
        if (!runtime.isOver()) return false;
        over = &runtime;
        return true;
    };
    cells.erase(std::remove_if(cells.begin(), cells.end(), isOver), cells.end());
    return over;
}

void Sources::catchUp() const {
    for (const Candidate& candidate : cells) candidate.cell->catchUp();
}

/// A forked child does not lock the Chans of its parent.
LockedSources::LockedSources(Sources& sources) : sources_(sources) {
    for (Candidate& candidate : sources.cells) candidate.lock = candidate.cell->lock();
    const ChanCase* before = nullptr;
    for (ChanCase& chan : sources.chans) {
        if (chan.cell->isOfAnotherProcess()) continue;
        if (before == nullptr || before->cell != chan.cell) {
            chan.lock = chan.cell->lock();
            chan.held = &chan.lock;
        } else {
            chan.held = before->held;
        }
        before = &chan;
    }
}

LockedSources::~LockedSources() {
    for (ChanCase& chan : sources_.chans) {
        chan.held = nullptr;
        chan.lock = Lock();
    }
    for (Candidate& candidate : sources_.cells) candidate.lock = CellLock();
}

namespace {

enum class Rank { Event, Timer, Chan };

/// A source that is ready.
struct Contender {
    /// The least is chosen: what was chosen longest ago; of what never was, an event before a timer
    /// before a Chan, of timers the earliest value, and then the first in the list.
    std::tuple<std::int64_t, Rank, Nanos, std::size_t> order;
    LastTurn* turn;
    Received received;
    Candidate* timer = nullptr;
    ChanCase* chan = nullptr;
};

/// Chooses among the sources that are ready. Timers must be added last: if nothing else is ready,
/// the earliest is chosen, whose turn it may not be.
class Choice {
  public:
    void addEvent(const EventCase& event) {
        LastTurn& turn = event.cell->lastTurn();
        add({{turn.since(now_), Rank::Event, kEventValue, event.index},
             &turn,
             {event.index, kEventValue}});
    }
    void addChan(ChanCase& chan) {
        LastTurn& turn = chan.cell->lastTurn(chan);
        add({{turn.since(now_), Rank::Chan, kEventValue, chan.index},
             &turn,
             {chan.index, kEventValue},
             nullptr,
             &chan});
    }
    void addTimer(Candidate& timer, Nanos value) {
        LastTurn& turn = timer.cell->lastTurn();
        const std::int64_t since = isFair_ ? turn.since(now_) : LastTurn::kNever;
        add({{since, Rank::Timer, value, timer.index}, &turn, {timer.index, value}, &timer});
    }

    const std::optional<Contender>& chosen() const noexcept { return chosen_; }
    /// Whether several sources are ready, and not only timers.
    bool isContested() const noexcept { return isFair_ && areSeveral_; }

  private:
    /// Of several sources, one is not the one chosen so far when it is added.
    void add(const Contender& contender) {
        if (contender.timer == nullptr) isFair_ = true;
        if (chosen_ && chosen_->turn != contender.turn) areSeveral_ = true;
        if (!chosen_ || contender.order < chosen_->order) chosen_ = contender;
    }

    const std::uint32_t now_ = LastTurn::last.load(std::memory_order_relaxed);
    std::optional<Contender> chosen_;
    bool isFair_ = false;
    bool areSeveral_ = false;
};

/// A due value is ready unless an older call takes it, or the time-out of this call comes before
/// it.
Choice choose(Sources& sources, const std::optional<TimeOut>& timeOut, WakeList& toWake) {
    Choice choice;
    for (const EventCase& event : sources.events) {
        if (event.cell->isSet()) choice.addEvent(event);
    }
    for (ChanCase& chan : sources.chans) {
        if (chan.held != nullptr && chan.cell->isReady(*chan.held, chan)) choice.addChan(chan);
    }
    for (Candidate& timer : sources.cells) {
        const std::optional<Nanos> value = timer.cell->ready(timer.lock, toWake);
        if (!value) continue;
        if (timeOut && timeOut->isBefore(*value, *timer.cell->runtime().clock())) continue;
        choice.addTimer(timer, *value);
    }
    return choice;
}

bool take(const Contender& chosen, WakeList& toWake) {
    if (chosen.timer != nullptr) return chosen.timer->cell->take(chosen.timer->lock, toWake);
    return chosen.chan == nullptr ||
           chosen.chan->cell->pass(*chosen.chan->held, *chosen.chan, toWake);
}

}  // namespace

/// Meanwhile the runtime of the chosen timer may end, or the call that waits in the chosen Chan may
/// be claimed for something else: then it chooses again.
std::optional<Received> LockedSources::takeReady(const std::optional<TimeOut>& timeOut,
                                                 WakeList& toWake) {
    for (;;) {
        const Choice choice = choose(sources_, timeOut, toWake);
        if (!choice.chosen()) return std::nullopt;
        if (!take(*choice.chosen(), toWake)) continue;
        if (choice.isContested()) choice.chosen()->turn->take();
        return choice.chosen()->received;
    }
}

void LockedSources::add(Wait& wait) {
    TimerCase* next = wait.begin();
    for (Candidate& timer : sources_.cells) {
        TimerCase& c = *next++;
        if (!wait.hasTimeOut() && timer.cell->isHopeless(timer.lock)) continue;
        wait.hope();
        timer.cell->addWaiter(timer.lock, c);
    }
    for (ChanCase& chan : sources_.chans) {
        chan.wait = &wait;
        chan.cell->addWaiter(*chan.held, chan);
    }
}

}  // namespace jtimer::go::detail
