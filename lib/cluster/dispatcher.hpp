// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/alarm.hpp"
#include "cluster/batch_limit.hpp"
#include "cluster/connected_thread.hpp"
#include "cluster/environment.hpp"
#include "cluster/lease.hpp"
#include "cluster/name_limits.hpp"
#include "cluster/open_names.hpp"
#include "cluster/pending_end.hpp"
#include "cluster/run_state.hpp"
#include "cluster/runners.hpp"
#include "cluster/store.hpp"

#include <jtimer/cluster/run_end.hpp>
#include <jtimer/cluster/stats.hpp>
#include <jtimer/jdk/timer_task.hpp>

#include <boost/thread/condition_variable.hpp>
#include <boost/thread/lock_types.hpp>
#include <boost/thread/mutex.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace jtimer::cluster::detail {

/// Claims tasks for the idle run slots, and runs them.
class Dispatcher : private ConnectedThread::Duty {
  public:
    /// What it asks of others. Any thread may call all of them.
    struct Calls {
        std::function<std::shared_ptr<const Lease>()> lease;  ///< of this node; below the mutex
        std::function<void()> renewNow;            ///< the row is gone, or has other pauses
        std::function<void(PendingEnd)> runEnded;  ///< write the end
        std::function<bool()> cannotWriteEnds;     ///< then nothing is claimed
        std::function<void()> drained;             ///< with the mutex held, at the end
        std::function<void(RunEnd)> tell;          ///< to Options::onRunEnd, of which there is one
    };

    Dispatcher(Environment& environment, Calls calls);

    /// \throws what the Store throws
    void connect() { store_.connect(); }
    void start() { thread_.start(); }  ///< after connect()
    void join() { thread_.join(); }    ///< after stop(), or without start()

    /// There may be something to claim. Any thread.
    void lookForTasks();

    /// Before the next claim, frees tasks of this node that it does not know: of claims whose
    /// answer was lost. Any thread.
    void releaseLostClaims();

    /// Pauses have begun or ended: reads them before the next claim, which is now. Any thread.
    void readPauses();

    /// Tells the uncaught exception handler of a failure that was no exception, on a thread of its
    /// own. Any thread.
    void report(const std::string& failure);

    /// The end of a run is written, or need not be any more. Any thread. Of an abandoned run that
    /// comes twice, of its failure first.
    void endWritten(Token token);

    void stop();  ///< claims nothing more, and ends the thread; any thread

    bool isStopping() const noexcept { return stopping_.load(std::memory_order_relaxed); }

    /// Until every run is over, its end is written, and nothing more is claimed.
    /// \returns false if that takes longer than `wait`
    bool waitUntilDrained(Micros wait);

    void countRuns(Stats& stats) const;
    std::string runningTasks() const;  ///< their names, for a report
    /// Name and id of those in hand.
    std::vector<std::pair<std::string, std::string>> unfinished() const;

  private:
    class Ticket;
    struct InHand {
        std::shared_ptr<RunState> run;
        bool occupiesSlot = false;
        std::shared_ptr<TimerTask> alarm;  ///< when it is to be abandoned, while it has a slot
        bool abandoned = false;
        bool failing = false;            ///< its failure as an abandoned one is not written yet
        std::optional<PendingEnd> late;  ///< its end, which waits for that
    };
    using InHandMap = std::map<Token, InHand>;
    using Lock = boost::unique_lock<boost::mutex>;

    bool waitForWork() override;
    void work() override;
    void pausing(Micros pause) override;
    void resume() override { lookForTasks(); }
    void finish() override;
    void gatherSlots(Lock& lock);
    bool learnPauses(const Lease& lease, std::int64_t now);
    void claim(Limited names, int idleSlots);
    void claimUnlimited(int limit, const std::shared_ptr<const Lease>& lease);
    void claimLimited(Limited names, int limit, const std::shared_ptr<const Lease>& lease);
    std::optional<Claim> ask(const std::vector<std::string>& names, int limit,
                             const std::function<Claim()>& send);
    void timedOut(const std::vector<std::string>& names, int limit);
    void sayWhatIsTooLarge();
    std::vector<Token> tokensInHand(const Lock& lock) const;
    void release();
    void handle(const Claim& claim, int limit, bool withCursor, std::int64_t sentAt);
    Micros nextLook(const Claim& claim, std::int64_t sentAt) const;
    void want(Limited names);
    Alarm& wake(Limited names) { return wakes_[static_cast<std::size_t>(names)]; }
    void beginAll(Claim& claim, const std::shared_ptr<const Lease>& lease);
    void begin(ClaimedTask task, const std::shared_ptr<const Lease>& lease);
    void handOver(const std::shared_ptr<RunState>& run);
    void execute(const std::shared_ptr<RunState>& run);
    void endRun(PendingEnd end);
    void notBegun(Token token);
    void failRun(RunState& run, const std::string& failure);
    std::shared_ptr<TimerTask> setAlarm(const RunState& run);
    void abandon(Token token);
    bool isLate(PendingEnd& end);
    std::size_t abandonedRunning(const Lock& lock) const;
    void freeSlot(const Lock& lock, InHand& run);
    bool isDrained(const Lock& lock) const;
    void checkDrained(const Lock& lock);

    Environment& environment_;
    const Calls calls_;
    const Micros pollInterval_;
    std::atomic<bool> stopping_{false};  ///< set under the mutex; read by any thread

    mutable boost::mutex mutex_;  ///< guards the following
    boost::condition_variable condition_;
    InHandMap inHand_;  ///< claimed, and the end not yet written
    int occupied_ = 0;  ///< slots
    Turns turns_;       ///< the claims that are wanted, as soon as they may be
    NameLimits limits_;
    bool gathering_ = false;  ///< until no slot is occupied
    bool releaseWanted_ = false;
    bool pausesChanged_ = false;
    bool claimsOver_ = false;

    // The rest belongs to the thread.
    OpenNames names_;
    /// For the next task that this node knows of, or the next poll: by how names are limited.
    std::array<Alarm, kWaysOfLimiting> wakes_;
    Alarm secondRelease_;
    BatchLimit limit_;                   ///< of tasks in a claim
    std::vector<std::string> tooLarge_;  ///< the names of a claim of one task that has timed out
    std::optional<Micros> cursor_;
    bool full_ = false;            ///< the last claim of names with limits got all that it might
    bool byName_ = false;          ///< how the next claim without a cursor finds its tasks
    std::int64_t fullScanAt_ = 0;  ///< when a claim last had no cursor
    Runners runners_;
    ConnectedThread thread_;
    Store& store_;  ///< the thread's
};

}  // namespace jtimer::cluster::detail
