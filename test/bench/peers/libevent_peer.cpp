// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "workload.hpp"

#include <event2/event.h>
#include <event2/event_struct.h>

#include <utility>

// libevent's timers: no thread, all in one loop, and no lock, as evthread_use_pthreads() is not
// called. As its documentation advises for speed, the event is a part of the user's object
// (event_assign), not an allocation of its own. The base is as it comes: it reads the coarse clock,
// whose ticks are those of the kernel, and waits for whole milliseconds. Its common timeouts, for
// many events with one and the same delay, are for none of these workloads.

namespace {

class LibeventAdapter : public peers::Loop {
  public:
    static std::string version() { return std::string("libevent ") + event_get_version(); }

    struct Task {
        event timer;
        peers::Function function;
        void* argument;
        std::int64_t period;  // of one that is still to be repeated

        ~Task() { event_del(&timer); }
    };
    using Handle = std::unique_ptr<Task>;

    LibeventAdapter() {
        peers::counters().onDone = [this] { event_base_loopbreak(base_.get()); };
    }

    Handle schedule(std::int64_t delay, peers::Function function, void* argument) {
        return start(delay, function, argument);
    }

    Handle scheduleAt(std::int64_t time, peers::Function function, void* argument) {
        return schedule(std::max<std::int64_t>(time - peers::now(), 0), function, argument);
    }

    static void cancel(Handle& task) { event_del(&task->timer); }

    static void reset(Handle& task, std::int64_t delay) { add(*task, delay); }

    void scheduleAtFixedRate(std::int64_t delay, std::int64_t period, peers::Function function,
                             void* argument) {
        Handle task = start(delay, function, argument);
        task->period = period;
        repeating_.push_back(std::move(task));
    }

    void waitUntilDone() { event_base_loop(base_.get(), EVLOOP_NO_EXIT_ON_EMPTY); }

    void letPass(std::int64_t time) {
        const timeval end = timevalOf(time);
        event_base_loopexit(base_.get(), &end);
        event_base_loop(base_.get(), EVLOOP_NO_EXIT_ON_EMPTY);
    }

  private:
    struct Free {
        void operator()(event_base* base) const { event_base_free(base); }
    };

    static timeval timevalOf(std::int64_t time) {
        return {static_cast<time_t>(time / peers::kSecond),
                static_cast<suseconds_t>(time % peers::kSecond / 1000)};
    }

    static void add(Task& task, std::int64_t delay) {
        const timeval after = timevalOf(delay);
        evtimer_add(&task.timer, &after);
    }

    static void run(evutil_socket_t, short, void* argument) {
        Task& task = *static_cast<Task*>(argument);
        // A persistent event has one time, its period, so its first firing is another event's.
        if (const std::int64_t period = std::exchange(task.period, 0)) {
            event_assign(&task.timer, event_get_base(&task.timer), -1, EV_PERSIST, run, &task);
            add(task, period);
        }
        task.function(task.argument);
    }

    Handle start(std::int64_t delay, peers::Function function, void* argument) {
        auto task = std::make_unique<Task>();
        task->function = function;
        task->argument = argument;
        event_assign(&task->timer, base_.get(), -1, 0, run, task.get());
        add(*task, delay);
        return task;
    }

    std::unique_ptr<event_base, Free> base_{event_base_new()};
    std::vector<Handle> repeating_;
};

}  // namespace

int main(int argc, char** argv) { return peers::runPeer<LibeventAdapter>(argc, argv); }
