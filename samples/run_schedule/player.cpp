// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "player.hpp"

#include <algorithm>
#include <utility>

using std::chrono::nanoseconds;

namespace {

jtimer::TimerOptions optionsFor(std::shared_ptr<jtimer::Clock> clock) {
    jtimer::TimerOptions options;
    options.name = "run_schedule";
    options.daemon = true;  // so whichever way the program ends, no repeating task keeps it from it
    options.clock = std::move(clock);
    return options;
}

}  // namespace

/// An entry on the timer.
class Player::Task final : public jtimer::TimerTask {
  public:
    Task(Player& player, std::size_t index, jtimer::Date first)
        : player_(player), entry_(player.entries_[index]), statistics_(player.statistics_[index]),
          planned_(first) {}

    void run() override {
        const jtimer::Date begun = player_.clock_->now();
        // With a fixed delay the timer counts from its own reading of the clock, a moment before
        // `begun`. So a run can begin that moment before the time planned here; it is not late
        // then.
        const nanoseconds lateness = std::max(nanoseconds(begun - planned_), nanoseconds(0));
        planned_ = (entry_.kind == Entry::Kind::Every ? begun : planned_) + entry_.period;

        player_.running_ = &entry_;
        const bool succeeded = player_.action_(entry_);
        player_.running_ = nullptr;
        statistics_.add(lateness, !succeeded);
        if (!entry_.repeats()) player_.ended();
    }

  private:
    Player& player_;
    const Entry& entry_;
    Statistics& statistics_;
    jtimer::Date planned_;
};

Player::Player(std::vector<Entry> entries, std::shared_ptr<jtimer::Clock> clock, Action action)
    : entries_(std::move(entries)), clock_(std::move(clock)), action_(std::move(action)),
      statistics_(entries_.size()), timer_(std::in_place, optionsFor(clock_)) {}

Player::~Player() = default;

void Player::start(std::function<void()> whenAllHaveRun) {
    whenAllHaveRun_ = std::move(whenAllHaveRun);
    const jtimer::Date now = clock_->now();
    // Scheduled from inside a task, none of them runs before all are there: what is due at one time
    // then runs in the order which the timer gives it, however fast this thread is.
    timer_->schedule([this, now] { scheduleAll(now); }, now);
}

void Player::scheduleAll(jtimer::Date start) {
    oneShotsLeft_ = static_cast<std::size_t>(std::count_if(
        entries_.begin(), entries_.end(), [](const Entry& entry) { return !entry.repeats(); }));
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        const Entry& entry = entries_[i];
        const jtimer::Date first = entry.kind == Entry::Kind::At ? entry.at : start + entry.after;
        const auto task = std::make_shared<Task>(*this, i, first);
        switch (entry.kind) {
        case Entry::Kind::After:
        case Entry::Kind::At:
            timer_->schedule(task, first);
            break;
        case Entry::Kind::Every:
            timer_->schedule(task, first, entry.period);
            break;
        case Entry::Kind::Rate:
            timer_->scheduleAtFixedRate(task, first, entry.period);
            break;
        }
    }
    if (entries_.empty()) whenAllHaveRun_();
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
    timer_.reset();
}

std::vector<Printer::Row> Player::rows() const {
    std::vector<Printer::Row> rows;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        rows.push_back({entries_[i].name, statistics_[i]});
    }
    return rows;
}
