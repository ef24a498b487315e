// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "entry.hpp"

#include <jtimer/time.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>

/// A command that is to run: a run of a task, or a retry of it.
struct Job {
    std::shared_ptr<const Entry> entry;
    std::chrono::nanoseconds lateness{0};  ///< of the run
    int attempt = 1;                       ///< greater than 1: a retry
    jtimer::Date date{};                   ///< when the run was due, by the wall clock
    std::uint64_t place = 0;               ///< see Due
};

/// A run that is due.
struct Due {
    std::shared_ptr<const Entry> entry;
    jtimer::Date since;       ///< by the clock of Dispatcher::Host::now()
    jtimer::Date date{};      ///< the same, by the wall clock
    std::uint64_t place = 0;  ///< of its line in a Player, which tells lines of one name apart
};

/// Decides which of the runs that are due begin, which wait, and which are dropped: at most `jobs`
/// commands run at once, and at most one of a name. It has no thread and no clock; all calls but
/// stop() come from one thread.
class Dispatcher {
  public:
    /// What the dispatcher needs done, and tells.
    class Host {
      public:
        virtual ~Host() = default;

        virtual jtimer::Date now() = 0;
        /// Starts a command. Dispatcher::ended() follows, perhaps before this returns.
        virtual void launch(const Job& job) = 0;
        /// Sends a signal to the command of a name.
        virtual void signal(const std::string& name, int signal) = 0;
        virtual void callAfter(std::chrono::milliseconds delay, std::function<void()> function) = 0;

        virtual void begun(const Job& job) = 0;
        /// A run has ended, with all its retries.
        virtual void ended(const Job& job, bool succeeded) = 0;
        /// A run that was due has been dropped.
        virtual void skipped(const Due& due) = 0;
        /// A run that was due so long ago that it does not begin has been dropped.
        virtual void tooLate(const Due& due) = 0;
        /// A run has been in progress for so long that the next one of its line is due.
        virtual void overrun(const Job& job, std::chrono::nanoseconds since) = 0;
    };

    /// \param grace what is killed has this long to end by itself
    Dispatcher(Host& host, int jobs, std::chrono::milliseconds grace)
        : host_(host), jobs_(jobs), grace_(grace) {}

    enum class Outcome { Begun, Waits, Dropped };

    Outcome due(const Due& due);

    /// From now on the runs of that name that wait are those of `entry`.
    void update(const std::shared_ptr<const Entry>& entry);

    /// The command of that name has ended.
    void ended(const std::string& name, bool succeeded);

    /// Drops the runs and the retry of that name that wait. A running command continues, and is not
    /// retried.
    void drop(const std::string& name);

    /// From now on no command starts. Any thread may call this.
    void stop() { stopped_ = true; }

    /// To be called after stop(), when no command runs: runs that wait for a retry have failed.
    void giveUp();

    /// Whether no run is in progress.
    bool idle() const;

  private:
    struct Task {
        std::optional<Job> current;  ///< the run in progress
        jtimer::Date begun{};        ///< when `current` has begun
        bool isOverrun = false;      ///< and that has been told
        bool commandRuns = false;    ///< otherwise `current` waits for its retry
        bool killed = false;         ///< `current` is being ended
        bool dropped = false;        ///< `current` has no more retries
        std::uint64_t number = 0;    ///< tells the commands of a task apart
        /// The runs that wait for `current` or a free slot: of a fixed rate, any number, one period
        /// apart; of others, one.
        std::int64_t waitingRuns = 0;
        Due waiting;              ///< the first of them
        bool retryWaits = false;  ///< `current` waits for a free slot
    };
    using Tasks = std::map<std::string, Task>;

    void enqueueRun(Task& task, const Due& due);
    void becomeReady(Tasks::iterator task, jtimer::Date since);
    void becomeUnready(const std::string& name);
    void tellOverrun(Task& task);
    void kill(Tasks::iterator task);
    bool takeRun(Task& task);
    void startReady();
    void start(Tasks::iterator task);
    void retryLater(Tasks::iterator task);
    void end(Tasks::iterator task, bool succeeded);

    Host& host_;
    const int jobs_;
    const std::chrono::milliseconds grace_;
    std::atomic<bool> stopped_{false};
    Tasks tasks_;
    /// Tasks that can begin a run or a retry as soon as a slot is free, by the time since when,
    /// then in order of arrival.
    std::set<std::tuple<jtimer::Date, std::uint64_t, std::string>> ready_;
    std::uint64_t arrivals_ = 0;
    int running_ = 0;
    bool starting_ = false;
};
