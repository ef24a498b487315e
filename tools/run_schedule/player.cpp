// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "player.hpp"

#include "rule.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <mutex>

using jtimer::Cron;
using jtimer::Date;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

namespace {

/// How long a step of the wall clock may go unnoticed.
constexpr std::chrono::seconds kWallClockLook(1);

/// A wall clock that is set back by more than this has been wrong before, and the times of the
/// calendar are those of the new time. Otherwise they do not come twice.
constexpr std::chrono::hours kCorrection(3);

/// What is due at even intervals does not stop for so long.
constexpr std::chrono::minutes kWildcardCorrection(1);

/// A Date may be coarser than a nanosecond.
Date later(Date date, nanoseconds span) noexcept {
    return std::chrono::time_point_cast<Date::duration>(date + span);
}

/// Schedules from inside a task. Another thread may cancel the timer meanwhile.
template <class Schedule>
void unlessCancelled(Schedule schedule) {
    try {
        schedule();
    } catch (const jtimer::IllegalStateException&) {
    }
}

}  // namespace

/// A line on the timer.
class Player::Task final : public jtimer::TimerTask {
  public:
    /// \param first the planned time of the first run, on the line's clock
    Task(Player& player, const Slot& slot, Date first)
        : name(slot.entry->name), place(slot.place), planned(first), player_(player) {}

    void run() override {
        unlessCancelled([this] { player_.run(*this); });
    }

    const std::string name;
    const std::uint64_t place;
    Date planned;

  private:
    Player& player_;
};

Player::Player(Clocks clocks, Ledger& ledger, Actions actions, Options options)
    : clocks_(std::move(clocks)), ledger_(ledger), actions_(std::move(actions)), options_(options),
      dispatcher_(*this, options.jobs, options.grace), timer_(std::in_place, timerOptions()) {}

Player::~Player() = default;

jtimer::TimerOptions Player::timerOptions() {
    jtimer::TimerOptions options;
    options.name = "run_schedule";
    options.daemon = true;  // however the program ends, no repeating task prevents it
    options.clock = clocks_.steady;
    options.uncaughtExceptionHandler = [this](const std::string&, std::exception_ptr exception) {
        fail(std::move(exception));
    };
    return options;
}

void Player::start(std::vector<Entry> entries, std::function<void()> whenAllHaveRun) {
    whenAllHaveRun_ = std::move(whenAllHaveRun);
    for (const Entry& entry : entries) ledger_.add(entry.name);
    const Date now = clocks_.steady->now();
    // A task schedules them, so none of them runs before all are scheduled. Tasks that are due at
    // the same time then run in the timer's order, however fast this thread is.
    auto shared = std::make_shared<std::vector<Entry>>(std::move(entries));
    timer_->schedule(
        [this, now, shared] {
            thread_ = std::this_thread::get_id();
            reached_ = reachedByWildcards_ = clocks_.wall->now();
            wallAhead_ = reached_ - clocks_.steady->now();
            localTime_ = clocks_.localTime();
            unlessCancelled([&] {
                for (Entry& entry : *shared) {
                    schedule(std::make_shared<const Entry>(std::move(entry)), now);
                }
                shared->clear();
                lookAtWallClock();
                endIfAllHaveRun();
            });
        },
        now);
}

/// \param start from when a duration counts
void Player::schedule(const std::shared_ptr<const Entry>& entry, Date start) {
    ledger_.add(entry->name);
    Slot& slot = slots_[entry->name];
    slot = {entry, ++places_, nullptr, false, false};
    if (!entry->followsWallClock()) {
        scheduleTask(slot, start + entry->firstDelay());
        return;
    }
    const Date now = clocks_.wall->now();
    const std::optional<StateFile::Past> past = actions_.recall(*entry);
    if (past && past->hasBegun && !entry->repeats()) {
        slot.isOver = true;
        return;
    }
    const Date when = entry->firstDate(past ? past->date : now);
    if (when < now && !options_.catchUp && !past) {
        actions_.isPast(*entry, when);
        slot.isOver = true;
    } else {
        scheduleDate(entry->name, when);
    }
}

void Player::scheduleTask(Slot& slot, Date first) {
    slot.task = std::make_shared<Task>(*this, slot, first);
    isDue(*slot.entry, first);
    switch (slot.entry->kind) {
    case Entry::Kind::Every:
        timer_->schedule(slot.task, first, slot.entry->period);
        break;
    case Entry::Kind::Rate:
        timer_->scheduleAtFixedRate(slot.task, first, slot.entry->period);
        break;
    default:
        timer_->schedule(slot.task, first);
        break;
    }
}

/// A run is due, by the timer.
void Player::run(Task& task) {
    const auto slot = slotOf(task.name, task.place);
    if (slot == slots_.end()) return;  // it has been removed
    const std::shared_ptr<const Entry> shared = slot->second.entry;
    const Entry& entry = *shared;
    const Date steadyNow = clocks_.steady->now();
    const Date wallNow = clocks_.wall->now();
    const Date now = entry.followsWallClock() ? wallNow : steadyNow;
    // With a fixed delay, the timer counts from its own reading of the clock, slightly before
    // `now`. So a run can begin slightly before the time planned here; then it is not late.
    const nanoseconds lateness = std::max(nanoseconds(now - task.planned), nanoseconds(0));
    const Due due{shared, later(steadyNow, -lateness),
                  entry.followsWallClock() ? task.planned : later(wallNow, -lateness), task.place};
    const Date base = entry.kind == Entry::Kind::Every ? now : task.planned;
    task.planned = later(base, entry.period);
    if (!entry.followsWallClock()) {
        if (entry.repeats()) {
            isDue(entry, task.planned);
        } else {
            ledger_.isDue(entry.name, std::nullopt);
        }
    }
    const Dispatcher::Outcome outcome = dispatcher_.due(due);
    if (outcome == Dispatcher::Outcome::Waits && entry.kind == Entry::Kind::Every) {
        task.cancel();
        slot->second.restarts = true;
    }
    if (outcome == Dispatcher::Outcome::Dropped && !entry.repeats()) slot->second.isOver = true;
}

/// \param steady by the steady clock
void Player::isDue(const Entry& entry, Date steady) {
    ledger_.isDue(entry.name, clocks_.wall->now() + (steady - clocks_.steady->now()));
}

void Player::scheduleDate(const std::string& name, Date when) {
    ledger_.isDue(name, when);
    dueDates_.emplace(when, name);
}

/// Schedules what is due by the wall clock, and the next look at that clock.
void Player::lookAtWallClock() {
    if (look_) look_->cancel();
    look_.reset();
    const Date now = clocks_.wall->now();
    const Date steadyNow = clocks_.steady->now();
    correctDates(now, steadyNow);
    runPastDates(now, steadyNow);
    if (dueDates_.empty()) return;
    nanoseconds next = dueDates_.begin()->first - now;
    if (clocks_.wall != clocks_.steady) next = std::min<nanoseconds>(next, kWallClockLook);
    look_ = jtimer::makeTask([this] { unlessCancelled([this] { lookAtWallClock(); }); });
    timer_->schedule(look_, next);
}

void Player::runPastDates(Date now, Date steadyNow) {
    while (!dueDates_.empty() && dueDates_.begin()->first <= now) {
        const std::string name = dueDates_.begin()->second;
        const Slot& slot = slots_.at(name);
        const Date when = dueOf(*slot.entry, dueDates_.begin()->first, now);
        dueDates_.erase(dueDates_.begin());
        // Ahead of what is less overdue.
        const Date due = std::max(steadyNow - (now - when), Date());
        timer_->schedule(std::make_shared<Task>(*this, slot, when), due);
        if (slot.entry->repeats()) {
            // One run for all that were missed.
            scheduleDate(name, nextDate(*slot.entry, now));
        } else {
            ledger_.isDue(name, std::nullopt);
        }
    }
}

/// If the wall clock has been set back far, or local time is another one, computes the dates of the
/// calendar anew.
void Player::correctDates(Date now, Date steadyNow) {
    const Date unlessSet = later(steadyNow, wallAhead_);
    wallAhead_ = now - steadyNow;
    const auto isSetBack = [&](Date& reached, nanoseconds by) {
        reached = std::max({reached, now, unlessSet});
        if (reached - now < by) return false;
        reached = now;
        return true;
    };
    const bool wildcards = isSetBack(reachedByWildcards_, kWildcardCorrection);
    const bool others = isSetBack(reached_, kCorrection + nanoseconds(1));
    const std::uint64_t localTime = clocks_.localTime();
    const bool local = std::exchange(localTime_, localTime) != localTime;
    if (!wildcards && !others && !local) return;
    computeAnew(now, [&](const Cron& rule) {
        return (rule.keepsInterval() ? wildcards : others) || (local && rule.zone().name().empty());
    });
}

/// Computes those dates of the calendar anew that are still to come.
template <class Which>
void Player::computeAnew(Date now, Which which) {
    for (const auto& [when, name] : std::exchange(dueDates_, {})) {
        const Entry& entry = *slots_.at(name).entry;
        const bool changes = entry.calendar && which(*entry.calendar);
        scheduleDate(name, changes ? nextDate(entry, now) : when);
    }
}

/// The first date of an entry that has not been reached yet.
Date Player::nextDate(const Entry& entry, Date now) const {
    return entry.nextDate(
        std::max(now, entry.calendar->keepsInterval() ? reachedByWildcards_ : reached_));
}

/// When a run is due for all the times of an entry from `first` to `now`: at the first of them that
/// may still begin.
Date Player::dueOf(const Entry& entry, Date first, Date now) {
    if (!entry.startWithin || !entry.repeats() || now - first <= *entry.startWithin) return first;
    const Date later = entry.nextDate(now - *entry.startWithin);
    return later <= now ? later : first;
}

void Player::replace(std::vector<Entry> entries, std::function<void(const Changes&)> whenChanged) {
    auto shared = std::make_shared<std::vector<Entry>>(std::move(entries));
    callAfter(milliseconds(0), [this, shared, whenChanged = std::move(whenChanged)] {
        Changes changes;
        lookAtWallClock();  // what is due runs by the old zones
        update(std::move(*shared), changes);
        whenChanged(changes);
        lookAtWallClock();
        endIfAllHaveRun();
    });
}

void Player::update(std::vector<Entry> entries, Changes& changes) {
    std::map<std::string, std::shared_ptr<const Entry>> byName;
    std::vector<std::shared_ptr<const Entry>> inOrder;
    for (Entry& entry : entries) {
        inOrder.push_back(std::make_shared<const Entry>(std::move(entry)));
        byName[inOrder.back()->name] = inOrder.back();
    }
    int restarted = 0;
    for (auto slot = slots_.begin(); slot != slots_.end();) {
        const auto each = slot++;
        const Entry& before = *each->second.entry;
        const auto after = byName.find(each->first);
        if (after == byName.end()) {
            ++changes.removed;
            remove(each);
            continue;
        }
        const bool goesOn = ruleOf(before) == ruleOf(*after->second);
        if (isChanged(before, *after->second)) ++changes.changed;
        if (!goesOn) {
            ++restarted;
            remove(each);
            continue;
        }
        each->second.entry = after->second;
        dispatcher_.update(after->second);
    }
    computeAnew(clocks_.wall->now(), [](const Cron&) { return true; });
    const Date start = clocks_.steady->now();
    for (const auto& entry : inOrder) {
        if (slots_.count(entry->name) != 0) continue;
        ++changes.added;
        if (entry->isReboot) {
            ledger_.add(entry->name);
            slots_[entry->name] = {entry, ++places_, nullptr, false, true};
        } else {
            schedule(entry, start);
        }
    }
    changes.added -= restarted;
}

void Player::remove(Slots::iterator slot) {
    const std::string name = slot->first;
    if (slot->second.task) slot->second.task->cancel();
    slots_.erase(slot);
    for (auto each = dueDates_.begin(); each != dueDates_.end();) {
        each = each->second == name ? dueDates_.erase(each) : std::next(each);
    }
    ledger_.isDue(name, std::nullopt);
    dispatcher_.drop(name);
}

/// The slot of a line that is still there, perhaps with another command; otherwise the end.
Player::Slots::iterator Player::slotOf(const std::string& name, std::uint64_t place) {
    const auto slot = slots_.find(name);
    return slot != slots_.end() && slot->second.place == place ? slot : slots_.end();
}

void Player::launch(const Job& job) {
    actions_.launch(job, [this, name = job.entry->name](bool succeeded) { done(name, succeeded); });
}

/// A command has ended. Other threads hand that over to the timer's.
void Player::done(const std::string& name, bool succeeded) {
    if (std::this_thread::get_id() == thread_) {
        dispatcher_.ended(name, succeeded);
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        ends_.emplace_back(name, succeeded);
    }
    callAfter(milliseconds(0), [this] { takeEnds(); });
}

void Player::takeEnds() {
    std::vector<std::pair<std::string, bool>> ends;
    {
        const std::lock_guard lock(mutex_);
        ends.swap(ends_);
    }
    for (const auto& [name, succeeded] : ends) dispatcher_.ended(name, succeeded);
}

void Player::callAfter(milliseconds delay, std::function<void()> function) {
    unlessCancelled([&] {
        timer_->schedule([function = std::move(function)] { unlessCancelled([&] { function(); }); },
                         delay);
    });
}

void Player::begun(const Job& job) {
    ledger_.runBegun(job);
    restart(slotOf(job.entry->name, job.place));
}

/// If the fixed delay of a line counts from now on, schedules its next run.
void Player::restart(Slots::iterator slot) {
    if (slot == slots_.end() || !std::exchange(slot->second.restarts, false)) return;
    const milliseconds period = slot->second.entry->period;
    unlessCancelled([&] { scheduleTask(slot->second, clocks_.steady->now() + period); });
}

void Player::ended(const Job& job, bool succeeded) {
    ledger_.runEnded(job.entry->name, succeeded);
    if (!succeeded) actions_.failed(job);
    const auto slot = slotOf(job.entry->name, job.place);
    if (slot != slots_.end() && !job.entry->repeats()) slot->second.isOver = true;
    endIfAllHaveRun();
}

void Player::tooLate(const Due& due) {
    const std::string& name = due.entry->name;
    ledger_.runSkipped(name);
    actions_.skipped(*due.entry,
                     "it is too late: start-within=" + inCanonicalForm(*due.entry->startWithin));
    const auto slot = slotOf(name, due.place);
    restart(slot);
    if (slot != slots_.end() && !due.entry->repeats()) slot->second.isOver = true;
    // The end is not told from inside Dispatcher::due(), which has more to do.
    callAfter(milliseconds(0), [this] { endIfAllHaveRun(); });
}

void Player::skipped(const Entry& entry) {
    ledger_.runSkipped(entry.name);
    actions_.skipped(entry, "the previous run has not ended");
}

void Player::overrun(const Job& job, nanoseconds since) {
    ledger_.runOverran(job.entry->name);
    actions_.overrun(job, since);
}

void Player::endIfAllHaveRun() {
    const bool allAreOver = std::all_of(slots_.begin(), slots_.end(),
                                        [](const auto& slot) { return slot.second.isOver; });
    if (allAreOver && dispatcher_.idle()) whenAllHaveRun_();
}

void Player::cancel() {
    dispatcher_.stop();
    timer_->cancel();
}

void Player::awaitEnd() {
    while (!timer_->awaitTermination(std::chrono::hours(1))) {
    }
}

void Player::finish() {
    cancel();
    awaitEnd();
    whenAllHaveRun_ = [] {};
    takeEnds();
    dispatcher_.giveUp();
    timer_.reset();
    failure_.rethrow();
}

void Player::fail(std::exception_ptr exception) {
    failure_.keep(std::move(exception));
    whenAllHaveRun_();
}
