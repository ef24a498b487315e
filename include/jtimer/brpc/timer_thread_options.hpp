// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/clock.hpp>
#include <jtimer/time.hpp>
#include <jtimer/uncaught_exception_handler.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace jtimer::brpc {

/// Construction options of a TimerThread; see TimerThread::start.
struct TimerThreadOptions {
    /// The number of lists, each with its own lock, that the scheduling threads are spread over: 1
    /// to 1024. Up to that many threads can schedule without waiting for each other.
    std::size_t numBuckets = 13;

    /// The timer's name. The OS thread carries its first 15 bytes. Empty: "brpc_timer".
    std::string name;

    /// The source of the time. Null: a WallClock.
    std::shared_ptr<Clock> clock;

    /// The timer's heap keeps the entries of removed tasks until their time, or until a sweep. A
    /// sweep takes place when the heap holds at least this many entries, and twice as many as the
    /// last sweep left.
    std::size_t sweepMinSize = 4096;

    /// The longest sleep of the thread while a task is pending; 0: until the next task is due. A
    /// removed task may keep its memory until the thread wakes up, so a limit bounds the memory of
    /// programs that schedule tasks far in the future and remove them.
    TimeSpan maxWakeupInterval = 0;

    /// Called with an exception that leaves a task. The timer goes on.
    UncaughtExceptionHandler uncaughtExceptionHandler;

    /// Called on the timer's thread before anything else, to set its priority, affinity or signal
    /// mask, which the processes that tasks start inherit. start() waits for it. If it throws,
    /// start() throws the same exception; if it ends the thread by pthread_exit, start() throws
    /// IllegalStateException. In both cases the timer is as before, and can be started again. In it
    /// the timer is not started yet: schedule() returns kInvalidTaskId; start(), stopAndJoin() and
    /// the destructor must not be called, as they wait for it.
    std::function<void()> onThreadStart;
};

}  // namespace jtimer::brpc
