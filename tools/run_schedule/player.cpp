// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "player.hpp"

#include <algorithm>
#include <exception>
#include <mutex>

using jtimer::Date;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

namespace {

/// How long a step of the wall clock may go unnoticed.
constexpr std::chrono::seconds kWallClockLook(1);

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
      dispatcher_(*this, options.jobs, options.grace), dates_(ledger),
      timer_(std::in_place, timerOptions()) {}

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
    const Date now = clocks_.steady->now();
    // A task schedules them, so none of them runs before all are scheduled. Tasks that are due at
    // the same time then run in the timer's order, however fast this thread is.
    auto shared = std::make_shared<std::vector<Entry>>(std::move(entries));
    timer_->schedule(
        [this, now, shared] {
            thread_ = std::this_thread::get_id();
            dates_.begin(showing());
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
        actions_.notify(Level::Warning, skippedAsPast(*entry, when));
        slot.isOver = true;
    } else {
        dates_.add(entry, when);
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

WallDates::Now Player::showing() const {
    return {clocks_.wall->now(), clocks_.steady->now(), clocks_.localTime()};
}

/// Schedules what is due by the wall clock, and the next look at that clock.
void Player::lookAtWallClock() {
    if (look_) look_->cancel();
    look_.reset();
    const WallDates::Now now = showing();
    dates_.look(now);
    while (const std::optional<WallDates::Run> run = dates_.take(now.wall)) {
        // Ahead of what is less overdue.
        const Date due = std::max(now.steady - (now.wall - run->date), Date());
        timer_->schedule(std::make_shared<Task>(*this, slots_.at(run->entry->name), run->date),
                         due);
    }
    if (!dates_.next()) return;
    nanoseconds next = *dates_.next() - now.wall;
    if (clocks_.wall != clocks_.steady) next = std::min<nanoseconds>(next, kWallClockLook);
    look_ = jtimer::makeTask([this] { unlessCancelled([this] { lookAtWallClock(); }); });
    timer_->schedule(look_, next);
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
    actions_.tell(skippedAsLate(due, clocks_.wall->now()));
    const auto slot = slotOf(name, due.place);
    restart(slot);
    if (slot != slots_.end() && !due.entry->repeats()) slot->second.isOver = true;
    // The end is not told from inside Dispatcher::due(), which has more to do.
    callAfter(milliseconds(0), [this] { endIfAllHaveRun(); });
}

void Player::skipped(const Due& due) {
    ledger_.runSkipped(due.entry->name);
    Event event = eventOf(Event::Kind::Skipped, due, clocks_.wall->now());
    event.reason = "the previous run has not ended";
    actions_.tell(event);
}

void Player::overrun(const Job& job, nanoseconds since) {
    ledger_.runOverran(job.entry->name);
    Event event = eventOf(Event::Kind::Overrun, job, clocks_.wall->now());
    event.duration = since;
    actions_.tell(event);
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
