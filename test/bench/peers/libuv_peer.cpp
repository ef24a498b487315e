// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "workload.hpp"

#include <uv.h>

// libuv's timers: no thread and no lock, all in one loop; whole milliseconds, which are cut off, so
// that a timer may be early by up to one. A delay counts from the loop's cached time, as libuv
// means it; the cache is read anew now and then, since these loops make thousands of calls in one
// turn. Cancelling stops the timer. To close it, which gives its memory back, is the end of the
// handle.

namespace {

class LibuvAdapter : public peers::Loop {
  public:
    static std::string version() { return std::string("libuv ") + uv_version_string(); }

    struct Task {
        uv_timer_t timer;  // the first: libuv hands back its address
        peers::Function function;
        void* argument;
    };
    struct Close {
        LibuvAdapter* adapter = nullptr;
        void operator()(Task* task) const { adapter->close(task); }
    };
    using Handle = std::unique_ptr<Task, Close>;

    LibuvAdapter() {
        uv_loop_init(&loop_);
        uv_timer_init(&loop_, &alarm_);
        peers::counters().onDone = [this] { uv_stop(&loop_); };
    }

    ~LibuvAdapter() {
        uv_close(reinterpret_cast<uv_handle_t*>(&alarm_), nullptr);
        uv_walk(
            &loop_,
            [](uv_handle_t* handle, void*) {
                if (uv_is_closing(handle) == 0) uv_close(handle, free);
            },
            nullptr);
        uv_run(&loop_, UV_RUN_DEFAULT);
        uv_loop_close(&loop_);
    }

    Handle schedule(std::int64_t delay, peers::Function function, void* argument) {
        return Handle(start(delay, 0, function, argument), Close{this});
    }

    Handle scheduleAt(std::int64_t time, peers::Function function, void* argument) {
        uv_update_time(&loop_);
        return schedule(std::max<std::int64_t>(time - peers::now(), 0), function, argument);
    }

    static void cancel(Handle& task) { uv_timer_stop(&task->timer); }

    void reset(Handle& task, std::int64_t delay) { startTimer(*task, delay, 0); }

    void scheduleAtFixedRate(std::int64_t delay, std::int64_t period, peers::Function function,
                             void* argument) {
        start(delay, period, function, argument);
    }

    void waitUntilDone() { uv_run(&loop_, UV_RUN_DEFAULT); }

    void letPass(std::int64_t time) {
        uv_update_time(&loop_);
        uv_timer_start(
            &alarm_, [](uv_timer_t* alarm) { uv_stop(alarm->loop); }, milliseconds(time), 0);
        uv_run(&loop_, UV_RUN_DEFAULT);
    }

  private:
    static std::uint64_t milliseconds(std::int64_t time) {
        return static_cast<std::uint64_t>(time / peers::kMillisecond);
    }

    static Task* taskOf(void* handle) { return static_cast<Task*>(handle); }

    static void free(uv_handle_t* handle) { delete taskOf(handle); }

    void close(Task* task) {
        uv_close(reinterpret_cast<uv_handle_t*>(&task->timer), free);
        // The loop gives the memory back, so it must have a turn now and then.
        if (++closed_ % 1024 == 0) uv_run(&loop_, UV_RUN_NOWAIT);
    }

    Task* start(std::int64_t delay, std::int64_t period, peers::Function function, void* argument) {
        auto* task = new Task{{}, function, argument};
        uv_timer_init(&loop_, &task->timer);
        startTimer(*task, delay, period);
        return task;
    }

    void startTimer(Task& task, std::int64_t delay, std::int64_t period) {
        if (++started_ % 64 == 0) uv_update_time(&loop_);
        uv_timer_start(
            &task.timer,
            [](uv_timer_t* timer) { taskOf(timer)->function(taskOf(timer)->argument); },
            milliseconds(delay), milliseconds(period));
    }

    uv_loop_t loop_;
    uv_timer_t alarm_;
    std::uint64_t started_ = 0;
    std::uint64_t closed_ = 0;
};

}  // namespace

int main(int argc, char** argv) { return peers::runPeer<LibuvAdapter>(argc, argv); }
