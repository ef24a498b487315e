// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "sync/assert.hpp"
#include "thread/loop_thread.hpp"
#include "tokio/ticks.hpp"
#include "tokio/wheel.hpp"

#include <jtimer/clock.hpp>
#include <jtimer/stats.hpp>
#include <jtimer/tokio/time_driver.hpp>
#include <jtimer/tokio/waker.hpp>

#include <boost/intrusive/set.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace jtimer::tokio::detail {

using jtimer::detail::kNever;
using jtimer::detail::Lock;
using jtimer::detail::Monitor;
using jtimer::detail::Nanos;

class Driver;
using DriverRef = boost::intrusive_ptr<Driver>;

/// The entry to which a Sleep refers. It has 72 bytes, which fill one block of the usual allocator.
struct SleepEntry : Entry {
    explicit SleepEntry(Driver& owner) : driver(&owner) {}

    const DriverRef driver;
    /// The waker of the last poll that returned false. Guarded by the driver's monitor.
    Waker waker;
};

/// A wheel with a lock, a clock, and perhaps a thread. Shared by the TimeDriver, the thread, and
/// every SleepEntry.
///
/// The monitor guards the wheel, every waker, promise_, isCalling_, waits_, the counts,
/// and the changes of isShutdown_. One thread at a time polls, resets and destroys a SleepEntry.
/// Meanwhile other threads may register it, in wait(), and end its registration, in turn() and
/// shutdown(), all under the lock. Only Entry::extend() and the check whether an entry has fired
/// need no lock.
///
/// Wakers and all other user objects are called, replaced and destroyed outside the lock. So when
/// such a call returns, everything may have changed, and the entry and the driver may have been
/// destroyed: the functions below touch neither after it, except through their own reference.
///
/// **One thread at a time calls wakers**, the Caller: in a turn, or in a shutdown, which waits
/// until it can be the Caller. A shutdown that a waker requests is a part of its Caller's work
/// instead; it calls the other wakers inside that one.
///
/// **Wakers are called by turn() and shutdown() only**, because the caller of any other function
/// may hold a lock that the waker takes. An entry that such a function fires keeps its waker, and
/// joins the wheel's pending entries, for the next turn. That takes no memory, and a poll, a reset
/// or a destructor that comes before the turn finds the waker where it always is. An entry that has
/// a waker and no deadline is parked: a shutdown must find it, since no turn comes after that.
///
/// **Forked children.** At the moment of the fork another thread may have held the lock, which is
/// then never released in the child; so nothing waits for it there. An entry that is destroyed
/// leaves the wheel if the lock is free. Otherwise it is never freed, as the wheel, in whatever
/// state, still links it; and it keeps the driver alive. All other calls throw instead of waiting
/// for the lock or for a turn. They check the process only then, as that is a system call.
class Driver final : public boost::intrusive_ref_counter<Driver>,
                     private jtimer::detail::LoopThread {
  public:
    /// \throws std::system_error if the clock cannot make another Waiter
    /// \throws IllegalArgumentException if a polled driver has an onThreadStart
    explicit Driver(TimeDriverOptions options);

    /// Starts the thread, unless the driver is polled, and waits until onThreadStart has returned.
    /// \throws std::system_error if that fails; what onThreadStart throws
    void start();

    using LoopThread::clock;
    using LoopThread::name;
    const Ticks& ticks() const noexcept { return ticks_; }
    Nanos now() const { return monitor_.now(); }

    // For the owner of an entry.

    /// Implements Sleep::poll(). \param waker swapped for the entry's if it returns false
    /// \param what names the object in a message
    /// \throws IllegalStateException if two coroutines wait for it, see requireSameCoroutine()
    bool poll(SleepEntry& entry, Nanos deadline, Waker& waker, const char* what);
    /// Polls with a time that the caller has read. If `what` is null, the entry has no waker, and
    /// the call throws only what enter() and requireRunning() throw.
    bool poll(SleepEntry& entry, Nanos deadline, Nanos now, Waker& waker, const char* what);
    /// To be called when a coroutine has asked for what is ready, or is about to ask. \returns
    /// whether it has to wait for the next turn first: in a turn, one that goes on very often in a
    /// row is in a loop, which must not hold up the turn
    bool isTimeToYield();
    /// Does that for what is ready.
    /// \param entry fired, and in no list
    /// \returns whether it has to wait: the next turn calls the waker
    bool defer(SleepEntry& entry, Waker waker);
    /// Leaves a waker with an entry that has no deadline. Does nothing after a shutdown.
    /// \param waker swapped for the entry's
    void park(SleepEntry& entry, Waker& waker);
    /// If the entry still has a waker to be called, has it called at another time; by the next turn
    /// if that is due. Allocates nothing, and does not fail. Takes no lock if the time is later.
    void rearm(SleepEntry& entry, Nanos deadline, Nanos now);
    /// Implements Sleep::wait(). \param deadline another thread may be resetting it
    /// \param call the user's, for a report
    void wait(SleepEntry& entry, const std::atomic<Nanos>& deadline, const char* call);
    /// Implements Sleep::reset(). \param kept receives the deadline before a turn can fire it, and
    /// keeps its value if the call throws
    void reset(SleepEntry& entry, Nanos deadline, std::atomic<Nanos>& kept) {
        const Tick tick = ticks_.dueBy(deadline);
        const Nanos before = kept.load(std::memory_order_relaxed);
        if (entry.isRegistered()) {
            // First, because once the entry is extended it may fire, and its waker may destroy it
            // and `kept`.
            kept.store(deadline, std::memory_order_relaxed);
            if (entry.extend(tick)) return;
        }
        move(entry, deadline, tick, kept, before);
    }
    /// Takes its waker away; deregisters it too, unless a thread is in wait() for it. In a forked
    /// child the entry may stay registered; then it must not even be destroyed.
    Waker takeWaker(SleepEntry& entry) noexcept;

    // For what has entries without a deadline. Each of these takes a lock that enter() has
    // returned.

    /// How many entries a call moves, fires or releases before it lets other threads have the lock.
    /// A million entries take 65 to 330 ms, depending on their order in memory, which is too long
    /// for a poll() to wait. This many take 0.8 ms at most. With fewer, a driver whose machine has
    /// more to do than it can is late by what each pause takes: 181 ms instead of 69 for a million
    /// entries, beside sixteen busy processes on two processors and 512 in a hold.
    static constexpr std::size_t kMostInOneHold = 2048;

    /// Acquires the lock. \throws DriverShutdown in a forked child if it is held
    Lock enter();
    /// Acquires the lock; in a forked child only if it is free.
    Lock enterUnlessForked() noexcept;
    /// Whether the lock is held, and is this driver's: for assertions.
    bool isHeldBy(const Lock& lock) const noexcept { return monitor_.isHeldBy(lock); }
    void letOthersIn(Lock& lock) { monitor_.letOthersIn(lock); }
    /// Parks an entry that is not registered.
    void park(Lock& lock, SleepEntry& entry) noexcept {
        JTIMER_ASSERT(isHeldBy(lock) && !entry.isRegistered());
        wheel_.park(entry);
    }
    /// Takes the entry out of the wheel. Its state stays as it is.
    void unlink(SleepEntry& entry) noexcept { wheel_.remove(entry); }
    /// Ends the registration of an entry, which stays fired if it has fired.
    void drop(SleepEntry& entry) noexcept;
    /// Fires an entry, which is in no list, on behalf of a caller: its waker is left to the next
    /// turn. leaveFired() must follow.
    void fire(Lock& lock, SleepEntry& entry) noexcept;
    /// Releases the lock, and ensures that the turn comes.
    void leaveFired(Lock& lock);
    /// Waits until the entry, which is registered, has fired.
    /// \param unpark the tick for which the entry has just been registered, if so
    /// \param call the user's, for a report
    /// \throws DriverShutdown if the driver has been shut down first
    void block(Lock& lock, SleepEntry& entry, std::optional<Tick> unpark, const char* call);

    // For the TimeDriver and for what is built on Sleep.

    std::size_t turn(std::optional<Nanos> now);
    /// Implements TimeDriver::advance(). \param span not negative
    std::size_t advance(Nanos span);
    std::optional<Nanos> nextWake();
    std::size_t size() {
        const Lock lock = enter();
        return wheel_.size();
    }
    TimeDriverStats stats();
    Tick elapsed() {
        const Lock lock = enter();
        return wheel_.elapsed();
    }
    void check() {
        const Lock lock = enter();
        wheel_.check();
    }
    void shutdown() {
        jtimer::detail::RunReport report(title(), "shutdown()");
        shutdown(&report);
    }
    bool isShutdown() const noexcept { return isShutdown_.load(std::memory_order_acquire); }
    /// \throws DriverShutdown if it has been shut down
    void requireRunning() const;
    /// \throws IllegalStateException if no thread could turn this driver while the calling thread
    ///   waits: because the calling thread itself is turning it; DriverShutdown in a forked child
    void requireCanWait() const;
    /// Called by ~TimeDriver: see there.
    void close() noexcept;

    // For reports.

    using LoopThread::title;
    bool isPolled() const noexcept { return polled_; }
    /// How many turns have begun.
    std::uint64_t turns(const Lock& lock) const noexcept {
        JTIMER_ASSERT(isHeldBy(lock));
        return turns_;
    }
    /// Whether a thread is in a turn or in a shutdown.
    bool isTurning(const Lock& lock) const noexcept {
        JTIMER_ASSERT(isHeldBy(lock));
        return isCalling_;
    }

  private:
    struct Caller;

    /// One thread in wait(), on its stack. It is in waits_ until the entry leaves the wheel.
    struct Wait : boost::intrusive::set_base_hook<> {
        Wait(Driver& waitsOn, Lock& held, SleepEntry& waitsFor);
        Wait(const Wait&) = delete;
        Wait& operator=(const Wait&) = delete;
        ~Wait();

        Driver& driver;
        Lock& lock;
        SleepEntry* const entry;
        /// The entry has left the wheel because it has fired.
        bool hasFired = false;
        jtimer::detail::Condition over;
    };
    struct EntryOf {
        using type = const SleepEntry*;
        type operator()(const Wait& wait) const noexcept { return wait.entry; }
    };

    void requireThisProcess() const;
    void requirePolled(const char* call) const;
    void requireOutsideTurn(const char* call) const;
    bool isDue(Nanos deadline, Tick tick, Nanos now) const noexcept {
        return deadline <= now || tick <= wheel_.elapsed();
    }
    void move(SleepEntry& entry, Nanos deadline, Tick tick, std::atomic<Nanos>& kept, Nanos before);
    void countFired(Nanos due, Nanos now) noexcept;
    void endWaits(SleepEntry& entry, bool fired) noexcept;
    Waker finish(Lock& lock, SleepEntry& entry, bool fired) noexcept;
    void leaveRegistered(Lock& lock, Tick tick);
    void call(const std::function<void()>& function) const;

    std::size_t turn(Lock& lock, Nanos now);
    void shutdown(jtimer::detail::WaitReport* report);
    void releaseAll(Lock& lock);

    void mainLoop() override;
    void end() override;

    const bool polled_;
    const std::function<void()> unpark_;
    const Ticks ticks_;
    Wheel wheel_;
    /// Sorted by entry, so that firing an entry finds its waiting threads quickly among any number
    /// of others.
    boost::intrusive::multiset<Wait, boost::intrusive::key_of_value<EntryOf>> waits_;
    /// The time by which the next turn will come; nothing: no turn will come by itself. A
    /// registration for an earlier time unparks. A turn sets it to the next expiration when it
    /// ends, nextWake() raises it to its answer, and a registration that unparks lowers it.
    std::optional<Tick> promise_;
    /// There is a Caller.
    bool isCalling_ = false;
    /// There is no Caller any more; notified only after a shutdown has been requested.
    jtimer::detail::Condition callerLeft_;
    /// How often a coroutine that the present waker resumes has found ready what it asked for. Only
    /// the thread that turns uses it.
    int readyInARow_ = 0;
    std::uint64_t turns_ = 0;
    std::uint64_t cancelled_ = 0;
    LatenessHistogram lateness_;
    /// Also read without the lock where seeing it late does no harm.
    std::atomic<bool> isShutdown_{false};
    /// The loop has returned. Only the thread uses it.
    bool hasReturned_ = false;
};

}  // namespace jtimer::tokio::detail
