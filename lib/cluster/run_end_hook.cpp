// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/run_end_hook.hpp"

#include "cluster/assert_held.hpp"
#include "cluster/in_handler.hpp"
#include "cluster/reports.hpp"
#include "sync/assert.hpp"

#include <boost/chrono/duration.hpp>

#include <cstddef>
#include <exception>
#include <string>
#include <utility>

namespace jtimer::cluster::detail {

namespace {

/// So many that wait are told of.
constexpr std::size_t kManyEnds = 10'000;

}  // namespace

RunEndHook::~RunEndHook() {
    const Lock lock(mutex_);
    stopping_ = true;
    condition_.notify_all();
}

void RunEndHook::start() {
    if (environment_.options.onRunEnd) runners_.run([this] { loop(); });
}

void RunEndHook::tell(RunEnd end) {
    JTIMER_ASSERT(environment_.options.onRunEnd);
    Lock lock(mutex_);
    ends_.push_back(std::move(end));
    condition_.notify_all();
    if (behind_ || ends_.size() < kManyEnds) return;
    behind_ = true;
    lock.unlock();
    printLine("Node \"" + *environment_.options.name + "\": " + std::to_string(kManyEnds) +
              " ends of runs wait for Options::onRunEnd");
}

void RunEndHook::loop() {
    Lock lock(mutex_);
    for (;;) {
        while (ends_.empty() && !stopping_) condition_.wait(lock);
        if (ends_.empty()) return;
        // Nobody else takes it out, and what is appended to a deque moves no element.
        const RunEnd& end = ends_.front();
        lock.unlock();
        try {
            call(end);
        } catch (...) {  // the unwinding by pthread_exit, which must go on
            lock.lock();
            told(lock);
            lock.unlock();
            runners_.run([this] { loop(); });
            throw;
        }
        lock.lock();
        told(lock);
    }
}

void RunEndHook::told(const Lock& lock) {
    assertHeld(lock, mutex_);
    ends_.pop_front();
    if (ends_.empty()) condition_.notify_all();
}

void RunEndHook::call(const RunEnd& end) {
    const InHandler inHandler(environment_);
    std::exception_ptr thrown;
    try {
        environment_.options.onRunEnd(end);
    } catch (...) {
        thrown = std::current_exception();
        // The unwinding by pthread_exit is no exception, and must go on.
        if (thrown == nullptr) throw;
    }
    // Not in the handler, where the process would end if this, too, called pthread_exit.
    if (thrown != nullptr) report(environment_.options, thrown);
}

bool RunEndHook::waitUntilTold(Micros wait) {
    Lock lock(mutex_);
    return condition_.wait_for(lock, boost::chrono::microseconds(wait),
                               [&] { return ends_.empty(); });
}

}  // namespace jtimer::cluster::detail
