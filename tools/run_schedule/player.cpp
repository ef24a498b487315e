// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "player.hpp"

#include <algorithm>
#include <utility>

using std::chrono::nanoseconds;

namespace {

/// How long a step of the wall clock may go unnoticed.
constexpr std::chrono::seconds kWallClockLook(1);

/// Schedules from inside a task. Another thread may cancel the timer meanwhile.
template <class Schedule>
void unlessCancelled(Schedule schedule) {
    try {
        schedule();
    } catch (const jtimer::IllegalStateException&) {
    }
}

}  // namespace

/// An entry on the timer.
class Player::Task final : public jtimer::TimerTask {
  public:
    /// \param first the planned time of the first run, on the entry's clock
    Task(Player& player, std::size_t index, jtimer::Date first)
        : player_(player), entry_(player.entries_[index]), statistics_(player.statistics_[index]),
          planned_(first) {}

    void run() override {
        const Clocks& clocks = player_.clocks_;
        const jtimer::Date begun =
            entry_.kind == Entry::Kind::At ? clocks.wall->now() : clocks.steady->now();
        // With a fixed delay, the timer counts from its own reading of the clock, slightly before
        // `begun`. So a run can begin slightly before the time planned here; then it is not late.
        const nanoseconds lateness = std::max(nanoseconds(begun - planned_), nanoseconds(0));
        planned_ = (entry_.kind == Entry::Kind::Every ? begun : planned_) + entry_.period;

        player_.running_ = &entry_;
        const bool succeeded = player_.action_(entry_);
        player_.running_ = nullptr;
        statistics_.lateness.add(lateness);
        if (!succeeded) ++statistics_.failures;
        if (!entry_.repeats()) player_.ended();
    }

  private:
    Player& player_;
    const Entry& entry_;
    Statistics& statistics_;
    jtimer::Date planned_;
};

Player::Player(std::vector<Entry> entries, Clocks clocks, Action action)
    : entries_(std::move(entries)), clocks_(std::move(clocks)), action_(std::move(action)),
      statistics_(entries_.size()), timer_(std::in_place, timerOptions()) {}

Player::~Player() = default;

jtimer::TimerOptions Player::timerOptions() {
    jtimer::TimerOptions options;
    options.name = "run_schedule";
    options.daemon = true;  // however the program ends, no repeating task prevents it
    options.clock = clocks_.steady;
    options.uncaughtExceptionHandler = [this](const std::string&, std::exception_ptr exception) {
        exception_ = std::move(exception);
        whenAllHaveRun_();
    };
    return options;
}

void Player::start(std::function<void()> whenAllHaveRun) {
    whenAllHaveRun_ = std::move(whenAllHaveRun);
    const jtimer::Date now = clocks_.steady->now();
    // A task schedules them, so none of them runs before all are scheduled. Tasks that are due at
    // the same time then run in the timer's order, however fast this thread is.
    timer_->schedule([this, now] { unlessCancelled([&] { scheduleAll(now); }); }, now);
}

void Player::scheduleAll(jtimer::Date start) {
    oneShotsLeft_ = static_cast<std::size_t>(std::count_if(
        entries_.begin(), entries_.end(), [](const Entry& entry) { return !entry.repeats(); }));
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        const Entry& entry = entries_[i];
        const jtimer::Date first = start + entry.after;
        const auto task = [&] { return std::make_shared<Task>(*this, i, first); };
        switch (entry.kind) {
        case Entry::Kind::At:
            byWallClock_.push_back(i);
            break;
        case Entry::Kind::After:
            timer_->schedule(task(), first);
            break;
        case Entry::Kind::Every:
            timer_->schedule(task(), first, entry.period);
            break;
        case Entry::Kind::Rate:
            timer_->scheduleAtFixedRate(task(), first, entry.period);
            break;
        }
    }
    std::reverse(byWallClock_.begin(), byWallClock_.end());
    std::stable_sort(
        byWallClock_.begin(), byWallClock_.end(),
        [this](std::size_t a, std::size_t b) { return entries_[a].at > entries_[b].at; });
    scheduleByWallClock();
    if (entries_.empty()) whenAllHaveRun_();
}

/// Schedules what is due by the wall clock, and its own next look at that clock.
void Player::scheduleByWallClock() {
    const jtimer::Date now = clocks_.wall->now();
    const jtimer::Date steadyNow = clocks_.steady->now();
    while (!byWallClock_.empty() && entries_[byWallClock_.back()].at <= now) {
        const std::size_t index = byWallClock_.back();
        byWallClock_.pop_back();
        // Ahead of what is less overdue.
        const jtimer::Date when = std::max(steadyNow - (now - entries_[index].at), jtimer::Date());
        timer_->schedule(std::make_shared<Task>(*this, index, entries_[index].at), when);
    }
    if (byWallClock_.empty()) return;
    nanoseconds next = entries_[byWallClock_.back()].at - now;
    if (clocks_.wall != clocks_.steady) next = std::min<nanoseconds>(next, kWallClockLook);
    timer_->schedule([this] { unlessCancelled([this] { scheduleByWallClock(); }); }, next);
}

void Player::ended() {
    if (--oneShotsLeft_ == 0 && !repeats()) whenAllHaveRun_();
}

bool Player::repeats() const {
    return std::any_of(entries_.begin(), entries_.end(),
                       [](const Entry& entry) { return entry.repeats(); });
}

void Player::cancel() { timer_->cancel(); }

void Player::finish() {
    timer_->cancel();
    while (!timer_->awaitTermination(std::chrono::hours(1))) {
    }
    stats_ = timer_->stats();
    timer_.reset();
    if (exception_) std::rethrow_exception(exception_);
}

std::vector<Printer::Row> Player::rows() const {
    std::vector<Printer::Row> rows;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        rows.push_back({entries_[i].name, statistics_[i]});
    }
    return rows;
}
