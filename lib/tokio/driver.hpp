// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "thread/monitor.hpp"
#include "thread/own_thread.hpp"
#include "tokio/ticks.hpp"
#include "tokio/wheel.hpp"

#include <jtimer/clock.hpp>
#include <jtimer/tokio/waker.hpp>
#include <jtimer/uncaught_exception_handler.hpp>

#include <boost/intrusive/set.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>

namespace jtimer::tokio::detail {

using jtimer::detail::kNever;
using jtimer::detail::Lock;
using jtimer::detail::Monitor;
using jtimer::detail::Nanos;

class Driver;
using DriverRef = boost::intrusive_ptr<Driver>;

/// What a Sleep refers to. 72 bytes, which is what the usual allocator gives for one of its blocks.
struct SleepEntry final : Entry {
    explicit SleepEntry(Driver& owner) : driver(&owner) {}

    const DriverRef driver;
    /// Of the last poll that returned false. Guarded by the driver's monitor.
    Waker waker;
};

/// A wheel with a lock, a clock, and perhaps a thread. Shared by the TimeDriver, the thread, and
/// every SleepEntry.
///
/// The monitor guards the wheel, every waker, promise_, isTurning_, waits_, and the changes of
/// isShutdown_. One thread at a time polls, resets and destroys a SleepEntry; others may register
/// it meanwhile, in wait(), and end that, in turn() and shutdown(), all under the lock. What
/// happens without it is Entry::extend(), and the look at whether an entry has fired.
///
/// Wakers, and everything else that is the user's, are called, replaced and destroyed outside of
/// the lock. So everything may have changed when such a call returns, and the entry and the driver
/// be gone: the functions below touch neither after it, except through a reference of their own.
///
/// **Forked children.** At the moment of the fork another thread may have held the lock, which
/// nobody releases in the child; so there nothing waits for it. What is destroyed leaves the wheel
/// if the lock is free. Otherwise its entry is never freed, as the wheel, in whatever state, still
/// links it; and it keeps the driver. All other calls throw where they would wait for the lock or
/// for a turn. The process is asked for only then, as that is a system call.
class Driver final : public boost::intrusive_ref_counter<Driver> {
  public:
    struct Settings {
        std::string name;
        std::shared_ptr<Clock> clock;
        bool polled = false;
        std::function<void()> unpark;
        UncaughtExceptionHandler handler;
    };

    /// \throws std::system_error if the clock cannot make another Waiter
    explicit Driver(Settings settings);

    /// Starts the thread, unless the driver is polled. \throws std::system_error if there is none
    void start();

    const std::string& name() const noexcept { return settings_.name; }
    const Ticks& ticks() const noexcept { return ticks_; }
    Nanos now() const { return monitor_.now(); }
    Date nowAsDate() const { return settings_.clock->now(); }

    // --- for the owner of an entry ---------------------------------------------------------------

    /// What a poll has found.
    enum class Polled { Waits, Fired, IsShutDown };

    /// As Sleep::poll(). \param waker swapped for the entry's if it returns false
    bool poll(SleepEntry& entry, Nanos deadline, Waker& waker);
    /// The same at a time that the caller has read. Allocates nothing, and throws nothing but what
    /// enter() throws. \param waker swapped for the entry's if it waits
    Polled poll(SleepEntry& entry, Nanos deadline, Nanos now, Waker& waker);
    /// As Sleep::wait(). \param deadline which another thread may be resetting
    void wait(SleepEntry& entry, const std::atomic<Nanos>& deadline);
    /// As Sleep::reset(). \param kept receives the deadline before a waker can be called, and keeps
    ///   its value if the call throws
    void reset(SleepEntry& entry, Nanos deadline, std::atomic<Nanos>& kept) {
        const Tick tick = ticks_.dueBy(deadline);
        const Nanos before = kept.load(std::memory_order_relaxed);
        if (entry.isRegistered()) {
            // First, as once it is extended it may fire, and its waker destroy it and `kept`.
            kept.store(deadline, std::memory_order_relaxed);
            if (entry.extend(tick)) return;
        }
        move(entry, deadline, tick, kept, before);
    }
    /// Deregisters the entry and drops its waker. It can be destroyed or polled afterwards.
    /// \returns false if it must not even be destroyed: in a forked child
    bool deregister(SleepEntry& entry) noexcept;
    /// Takes its waker away; deregisters it too, unless a thread is in wait() for it.
    Waker takeWaker(SleepEntry& entry) noexcept;

    // --- for the TimeDriver and what is made of Sleeps -------------------------------------------

    std::size_t turn(std::optional<Nanos> now);
    std::optional<Nanos> nextWake();
    std::size_t size();
    Tick elapsed();
    void check();
    void shutdown();
    bool isShutdown() const noexcept { return isShutdown_.load(std::memory_order_acquire); }
    /// \throws IllegalStateException if it has been shut down
    void requireRunning() const;
    /// \throws IllegalStateException if nobody could turn this driver while the calling thread
    ///   waits: because it is that thread which is turning it, or in a forked child
    void requireCanWait() const;
    /// Calls a waker, destroys it, and reports what it throws.
    void wake(Waker waker);
    /// The end of the TimeDriver: see ~TimeDriver.
    void close() noexcept;

  private:
    struct Turn;

    /// One thread in wait(), on its stack.
    struct Wait : boost::intrusive::set_base_hook<> {
        explicit Wait(SleepEntry& waitsFor) : entry(&waitsFor) {}
        SleepEntry* const entry;
        /// The entry has left the wheel; hasFired: because it has fired.
        bool isOver = false;
        bool hasFired = false;
        jtimer::detail::Condition over;
    };
    struct EntryOf {
        using type = const SleepEntry*;
        type operator()(const Wait& wait) const noexcept { return wait.entry; }
    };

    bool isOfAnotherProcess() const noexcept;
    void requireThisProcess() const;
    Lock enter();
    Lock enterUnlessForked() noexcept;
    bool isDue(Nanos deadline, Tick tick, Nanos now) const noexcept {
        return deadline <= now || tick <= wheel_.elapsed();
    }
    void move(SleepEntry& entry, Nanos deadline, Tick tick, std::atomic<Nanos>& kept, Nanos before);
    void block(Lock& lock, SleepEntry& entry, std::optional<Tick> unpark);
    void stopWaiting(Lock& lock, Wait& wait) noexcept;
    Waker end(Lock& lock, SleepEntry& entry, bool fired) noexcept;
    void leaveRegistered(Lock& lock, Tick tick);
    void call(const std::function<void()>& function) const;

    std::size_t turn(Lock& lock, Tick now);
    void releaseAll(Lock& lock);

    void run();
    void mainLoop();

    const Settings settings_;
    const pid_t pid_;
    Monitor monitor_;
    const Ticks ticks_;
    Wheel wheel_;
    /// By entry, so that firing an entry finds its threads among any number of others.
    boost::intrusive::multiset<Wait, boost::intrusive::key_of_value<EntryOf>> waits_;
    /// The time by which the next turn will come; nothing: no turn will come by itself. Something
    /// registered before it unparks. A turn sets it to the next expiration at its end, nextWake()
    /// raises it to its answer, and a registration that unparks lowers it.
    std::optional<Tick> promise_;
    bool isTurning_ = false;
    /// Read without the lock by those who may be late to see it.
    std::atomic<bool> isShutdown_{false};
    /// Started last, when all else is there.
    jtimer::detail::OwnThread thread_;
};

}  // namespace jtimer::tokio::detail
