// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "dispatcher.hpp"
#include "entry.hpp"
#include "failure.hpp"
#include "ledger.hpp"
#include "pulse.hpp"
#include "schedule_player.hpp"
#include "wall_dates.hpp"

#include <jtimer/clock.hpp>
#include <jtimer/timer.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

/// The clocks of a player. Durations are measured on the steady clock, dates on the wall clock. If
/// both are the same clock, it cannot be set.
struct Clocks {
    std::shared_ptr<jtimer::Clock> steady;
    std::shared_ptr<jtimer::Clock> wall;
    /// How often local time has become another one: see jtimer::detail::lookAtLocalTime().
    std::function<std::uint64_t()> localTime = [] { return std::uint64_t{0}; };
};

/// Plays a schedule on one timer: what is due when. A Dispatcher on the timer's thread decides what
/// begins then, and the commands run elsewhere.
///
/// Only what happens on the wall clock is not left to the timer: it looks at that clock once a
/// second while something is pending there, as the clock can be set.
class Player final : public SchedulePlayer, private Dispatcher::Host {
  public:
    struct Options {
        int jobs = 1;                           ///< how many commands may run at once
        bool catchUp = false;                   ///< an `at` that is past at the start runs at once
        std::chrono::milliseconds grace{4000};  ///< for a command that is killed for the next run
    };

    Player(Clocks clocks, Ledger& ledger, Actions actions, Options options);
    ~Player() override;

    void start(
        std::vector<Entry> entries, std::function<void()> whenAllHaveRun = [] {}) override;
    void replace(std::vector<Entry> entries,
                 std::function<void(const Changes&)> whenChanged) override;
    void cancel() override;
    void awaitEnd() override;
    std::string ailment() override { return pulse_.ailment(*timer_); }
    void finish() override;
    void fail(std::exception_ptr exception) override;

  private:
    class Task;

    /// What is known of a name.
    struct Slot {
        std::shared_ptr<const Entry> entry;
        std::uint64_t place = 0;  ///< of all lines that there have been
        std::shared_ptr<jtimer::TimerTask>
            task;               ///< on the timer; not of what follows the wall clock
        bool restarts = false;  ///< a fixed delay counts from the start of the run that waits
        bool isOver = false;    ///< nothing is left to run
    };
    using Slots = std::map<std::string, Slot>;

    jtimer::TimerOptions timerOptions();
    void schedule(const std::shared_ptr<const Entry>& entry, jtimer::Date start);
    void scheduleTask(Slot& slot, jtimer::Date first);
    WallDates::Now showing() const;
    void lookAtWallClock();
    void run(Task& task);
    void isDue(const Entry& entry, jtimer::Date steady);
    Changes update(std::vector<Entry> entries);
    void remove(Slots::iterator slot);
    void restart(Slots::iterator slot);
    Slots::iterator slotOf(const std::string& name, std::uint64_t place);
    void done(const std::string& name, bool succeeded);
    void takeEnds();
    void endIfAllHaveRun();

    jtimer::Date now() override { return clocks_.steady->now(); }
    void launch(const Job& job) override;
    void signal(const std::string& name, int signal) override { actions_.signal(name, signal); }
    void callAfter(std::chrono::milliseconds delay, std::function<void()> function) override;
    void begun(const Job& job) override;
    void ended(const Job& job, bool succeeded) override;
    void skipped(const Due& due) override;
    void tooLate(const Due& due) override;
    void overrun(const Job& job, std::chrono::nanoseconds since) override;

    const Clocks clocks_;
    Ledger& ledger_;
    const Actions actions_;
    const Options options_;
    std::function<void()> whenAllHaveRun_;
    Failure failure_;

    // Used by the timer's thread, and by others before it has begun or after it has ended:
    Dispatcher dispatcher_;
    Slots slots_;
    std::uint64_t places_ = 0;  ///< how many lines there have been
    WallDates dates_;
    std::shared_ptr<jtimer::TimerTask> look_;  ///< at the wall clock
    std::thread::id thread_;
    Pulse pulse_;
    std::mutex mutex_;
    /// The ends of commands, not yet dealt with. Guarded by mutex_.
    std::vector<std::pair<std::string, bool>> ends_;

    std::optional<jtimer::Timer>
        timer_;  // last: its destructor waits for tasks, which use the other members
};
