// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Compiled without -fsanitize=thread: nothing in here is a step of an explored thread, and so no
// thread learns from it what another one has done.

#include "interleave/simulation/world.hpp"

#include "interleave/engine/engine.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <numeric>
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

namespace {
bool hasFaults = false;
bool threadsMayFail = false;
}  // namespace

void drawFaults() {
    hasFaults = true;
    constexpr std::array<unsigned, 4> kOneIn{2, 5, 12, 30};
    const unsigned often = kOneIn[any(4)];
    const unsigned kind = any(8);
    threadsMayFail = kind <= 2;
    if (kind == 0 || kind == 1) explore::failAllocations(often);
    if (kind == 1 || kind == 2) explore::failThreadStarts(often);
}

void endFaults() {
    hasFaults = false;
    explore::failAllocations(0);
    explore::failThreadStarts(0);
}

Nanos timeOf(const jtimer::Clock& clock) {
    const Inside inside;
    return clock.nanos();
}

bool mayFailToStart() { return threadsMayFail; }

SetClock::SetClock() : isSet_(oneIn(3)) {}

std::int64_t SetClock::nanos() const {
    const Nanos time = manual_.nanos();  // a step: the clock may be set before it
    return time + offset_;
}

SetClock::Moment SetClock::present() const { return shown_.size(); }
SetClock::Moment SetClock::lastWait() const { return lastWait_; }

Nanos SetClock::latest(Moment since) const {
    const auto from = shown_.begin() + static_cast<std::ptrdiff_t>(since);
    return std::accumulate(from, shown_.end(), timeOf(*this),
                           [](Nanos a, Nanos b) { return std::max(a, b); });
}

Nanos SetClock::earliest(Moment since) const {
    const auto from = shown_.begin() + static_cast<std::ptrdiff_t>(since);
    return std::accumulate(from, shown_.end(), timeOf(*this),
                           [](Nanos a, Nanos b) { return std::min(a, b); });
}

Nanos SetClock::setForward() const { return setForward_; }
Nanos SetClock::setBack() const { return setBack_; }
void SetClock::hold(int change) { held_ += change; }
void SetClock::noteWait() const { lastWait_ = present(); }

void SetClock::set(Nanos step) {
    if (!isSet_ || !hasFaults || held_ != 0 || settingsLeft_ == 0 || !oneIn(2)) return;
    --settingsLeft_;
    const Inside inside;
    const Nanos by = (static_cast<Nanos>(any(9)) - 4) * step;
    shown_.push_back(nanos());
    offset_ += by;
    shown_.push_back(nanos());
    (by > 0 ? setForward_ : setBack_) += std::abs(by);
}

void SetClock::advance(jtimer::TimeSpan step) {
    set(step.value().millis * kMillis);
    manual_.advance(step);
}

void SetClock::advanceToEnd(jtimer::TimeSpan span) {
    manual_.advance(std::chrono::nanoseconds(setBack_) +
                    std::chrono::milliseconds(span.value().millis));
}

void userCode(const char* where) {
    if (explore::holdsLock()) fail(std::string("a mutex is held in ") + where);
}

void userRun(const char* where) {
    if (explore::isForkedChild) fail(std::string("in a forked child, ") + where);
    userCode(where);
}

void fork(Book& book, const std::function<void()>& body) {
    if (std::exchange(book.hasForked, true)) return;
    explore::inForkedChild([&] {
        book.isDraining = true;
        endFaults();
        body();
    });
}

void Book::set(bool& fact) { fact = true; }
bool Book::has(const bool& fact) const { return fact; }
void Book::count(unsigned& event) { ++event; }

void Secret::set(std::int64_t value) { value_ = value; }
void Secret::add(std::int64_t value) { value_ += value; }
std::int64_t Secret::get() const { return value_; }

bool Account::claim() { return !std::exchange(isClaimed_, true); }

void Account::offer(const SetClock& clock, Nanos due, Nanos grace) {
    if (offers_++ != 0) return;
    offeredAt_ = clock.present();
    due_ = latestDue_ = due;
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

void Account::beginRun(const Book& book, const SetClock& clock, bool onItsThread) {
    userRun("a run");
    check(offers_ != refusals_, "a refused task runs");
    check(!isRunning_, "a task runs twice at a time");
    // The clock may be set between the look at it and the run.
    const SetClock::Moment since = onItsThread ? clock.lastWait() : 0;
    check(clock.latest(std::max(since, offeredAt_)) >= due_, "early");
    // A wait that has begun is as long as before, though the clock is set forward.
    if (!book.isUnpunctual && accepts_ != 0)
        check(timeOf(clock) - clock.setForward() <= std::max(latestDue_, acceptedAt_) + grace_,
              "late: a wake-up was lost");
    if (period_ == 0) check(runs_ == 0, "a one-shot runs twice");
    // A run of a repeating task that was chosen before its cancellation may begin after it.
    if (ends_ != 0) check(period_ != 0 && ++runsSince_ == 1, "a cancelled task runs");
    ++runs_;
    isRunning_ = true;
    due_ = (atFixedRate_ ? due_ : clock.earliest(since)) + period_;
    latestDue_ = (atFixedRate_ ? latestDue_ : clock.latest(since)) + period_;
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

void Starts::begin(const SetClock& clock, Nanos due) {
    const Inside inside;
    ++begun_;
    waiting_.push_back({due, clock.present()});
}

void Starts::refuse(Nanos due) {
    --begun_;
    const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                    [due](const Start& each) { return each.due == due; });
    check(found != waiting_.end(), "a refused start fires");
    waiting_.erase(found);
}

void Starts::end() {
    ++ended_;
    check(ended_ + fired_ <= begun_, "ended and fired");
}

void Starts::fire(Nanos at) {
    // Threads may tell of two in another order than they were received in.
    auto found = waiting_.end();
    for (auto each = waiting_.begin(); each != waiting_.end(); ++each)
        if (each->due <= at && (found == waiting_.end() || each->due > found->due)) found = each;
    fired(found);
}

void Starts::fireNow(const SetClock& clock) {
    fired(std::find_if(waiting_.begin(), waiting_.end(),
                       [&clock](const Start& each) { return each.due <= clock.latest(each.at); }));
}

void Starts::fired(std::vector<Start>::iterator start) {
    check(start != waiting_.end(), "early, or more often than it was started");
    waiting_.erase(start);
    ++fired_;
}

unsigned Starts::open() const {
    check(ended_ + fired_ <= begun_, "ended and fired");
    return begun_ - ended_ - fired_;
}

}  // namespace simulation
