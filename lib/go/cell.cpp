// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "go/cell.hpp"

#include "go/channel_cell.hpp"
#include "go/function_cell.hpp"
#include "go/runtime.hpp"

#include <stdexcept>

namespace jtimer::go::detail {

Cell::Cell(Kind kind, Shard& home) : Scheduled(kind), home_(&home) { home.retain(); }

/// No other thread knows the cell, so it needs no lock. Once it is in the heap, the poller
/// knows it.
void Cell::startFirst(Nanos when) {
    when_ = when;
    Runtime& runtime = this->runtime();
    bool isFirst = false;
    try {
        isFirst = home().add(*this, when);
    } catch (...) {
        state_ = State::Idle;  // it has not been pending, so its end is no cancellation
        release();
        throw;
    }
    if (isFirst) runtime.signal(when);
}

/// Without references, only the poller can still find the cell, in the heap; and the poller does
/// not touch a cell that it cannot retain.
void Cell::free() noexcept {
    Shard& last = home();
    if (kind() == Kind::Channel) {
        if (state_ == State::Running && !runtime().isOfAnotherProcess()) last.cancel(*this);
        delete static_cast<ChannelCell*>(this);
    } else {
        FunctionCell::free(static_cast<FunctionCell*>(this));
    }
    last.release();
}

CellLock Cell::enterCurrent() {
    CellLock lock = enter();
    if (kind() != Kind::Channel) return lock;
    auto& cell = static_cast<ChannelCell&>(*this);
    if (cell.waiters_.empty()) return lock;
    lock.unlock();
    cell.catchUp();
    lock.lock();
    return lock;
}

bool Cell::stop() {
    if (runtime().isOver()) return false;
    const CellLock lock = enterCurrent();
    if (state_ == State::Idle) return false;
    if (state_ == State::Running) home().cancel(*this);
    state_ = State::Idle;
    return true;
}

/// Moves the cell to the heap of this thread.
bool Cell::reset(Nanos d, Nanos period) {
    Runtime& runtime = this->runtime();
    runtime.requireNotOver();
    const CellLock lock = enterCurrent();
    const bool ended = state_ != State::Idle;
    const Nanos when = runtime.timeIn(d);
    Shard& from = home();
    Shard& to = runtime.shardOfThisThread();
    const bool isFirst = to.move(*this, from, when);
    if (&from != &to) {
        home_.store(&to, std::memory_order_relaxed);
        from.release();
    }
    state_ = State::Running;
    when_ = when;
    if (kind() == Kind::Channel) static_cast<ChannelCell*>(this)->period_ = period;
    if (isFirst) runtime.signal(when);
    return ended;
}

/// Once the runtime is over this only releases the reference: the end of the runtime wakes
/// all waits.
void Cell::dropHandle() {
    if (kind() == Kind::Channel && !runtime().isOver()) {
        auto& cell = static_cast<ChannelCell&>(*this);
        WakeList toWake;
        CellLock lock = enter();
        hasHandle_ = false;
        if (state_ == State::Idle) cell.loseHope(lock, toWake);
    }
    release();
}

void Cell::check() const {
    const CellLock lock = enter();
    if (state_ != State::Running && home().contains(*this)) {
        throw std::logic_error("Timers: a timer that does not run is in a heap");
    }
}

}  // namespace jtimer::go::detail
