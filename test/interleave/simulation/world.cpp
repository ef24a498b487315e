// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Compiled without -fsanitize=thread: nothing in here is a step of an explored thread, and so no
// thread learns from it what another one has done.

#include "interleave/simulation/world.hpp"

#include "interleave/engine/engine.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

namespace simulation {

using explore::check;
using explore::fail;
using explore::Inside;

void drawPace() {
    constexpr std::array<unsigned, 4> kPreemptions{4, 12, 40, 200};
    const unsigned preemption = kPreemptions[any(4)];
    explore::pace(preemption, oneIn(2) ? 3 : 20);
}

void drawFaults() {
    constexpr std::array<unsigned, 4> kOneIn{2, 5, 12, 30};
    const unsigned often = kOneIn[any(4)];
    const unsigned kind = any(8);
    if (kind == 0 || kind == 1) explore::failAllocations(often);
    if (kind == 1 || kind == 2) explore::failThreadStarts(often);
}

void endFaults() {
    explore::failAllocations(0);
    explore::failThreadStarts(0);
}

Nanos timeOf(const jtimer::Clock& clock) {
    const Inside inside;
    return clock.nanos();
}

void userCode(const char* where) {
    if (explore::holdsLock()) fail(std::string("a mutex is held in ") + where);
}

void Book::set(bool& fact) { fact = true; }
bool Book::has(const bool& fact) const { return fact; }
void Book::count(unsigned& event) { ++event; }

void Secret::set(std::int64_t value) { value_ = value; }
void Secret::add(std::int64_t value) { value_ += value; }
std::int64_t Secret::get() const { return value_; }

bool Account::claim() { return !std::exchange(isClaimed_, true); }

void Account::offer(Nanos due, Nanos grace) {
    if (offers_++ != 0) return;
    due_ = due;
    grace_ = grace;
}

void Account::repeat(Nanos period, bool atFixedRate) {
    period_ = period;
    atFixedRate_ = atFixedRate;
}

void Account::accept(Nanos now) {
    ++accepts_;
    acceptedAt_ = now;
}

void Account::refuse() { ++refusals_; }

void Account::beginRun(const Book& book, Nanos now) {
    userCode("a run");
    check(offers_ != refusals_, "a refused task runs");
    check(!isRunning_, "a task runs twice at a time");
    check(now >= due_, "early");
    if (!book.isUnpunctual && accepts_ != 0)
        check(now <= std::max(due_, acceptedAt_) + grace_, "late: a wake-up was lost");
    if (period_ == 0) check(runs_ == 0, "a one-shot runs twice");
    // A run of a repeating task that was chosen before its cancellation may begin after it.
    if (ends_ != 0) check(period_ != 0 && ++runsSince_ == 1, "a cancelled task runs");
    ++runs_;
    isRunning_ = true;
    if (period_ != 0) due_ = (atFixedRate_ ? due_ : now) + period_;
}

void Account::endRun() { isRunning_ = false; }

void Account::cancel() {
    check(ends_++ == 0, "cancelled or handed back twice");
    if (period_ == 0) check(runs_ == 0, "cancelled although it ran");
}

void Account::leave() {
    check(ends_++ == 0, "handed back although it was cancelled");
    if (period_ == 0) check(runs_ == 0, "handed back although it ran");
}

void Account::checkOver() const { check(!isRunning_, "a call that waits returned during the run"); }

void Account::settle(bool mustBeKnown) const {
    check(!isRunning_, "a run has not ended");
    check(accepts_ <= 1, "scheduled twice");
    check(accepts_ != 0 || runs_ == 0, "a refused task has run");
    if (!mustBeKnown || !isLost()) return;
    std::ostringstream text;
    text << "lost: a task due at " << due_ << " has neither run nor been cancelled";
    fail(text.str());
}

bool Account::isLost() const { return accepts_ != 0 && runs_ + ends_ == 0; }
bool Account::isOver() const { return runs_ + ends_ != 0; }
unsigned Account::runs() const { return runs_; }

void Starts::begin(Nanos due) {
    const Inside inside;
    ++begun_;
    dues_.push_back(due);
}

void Starts::refuse(Nanos due) {
    --begun_;
    const auto found = std::find(dues_.begin(), dues_.end(), due);
    check(found != dues_.end(), "a refused start fires");
    dues_.erase(found);
}

void Starts::end() {
    ++ended_;
    check(ended_ + fired_ <= begun_, "ended and fired");
}

void Starts::fire(Nanos now) {
    // Threads may tell of two in another order than they were received in.
    auto found = dues_.end();
    for (auto each = dues_.begin(); each != dues_.end(); ++each)
        if (*each <= now && (found == dues_.end() || *each > *found)) found = each;
    check(found != dues_.end(), "early, or more often than it was started");
    dues_.erase(found);
    ++fired_;
}

unsigned Starts::open() const {
    check(ended_ + fired_ <= begun_, "ended and fired");
    return begun_ - ended_ - fired_;
}

}  // namespace simulation
