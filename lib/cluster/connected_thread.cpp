// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/connected_thread.hpp"

#include "cluster/backoff.hpp"
#include "cluster/scheduler_state.hpp"

#include <jtimer/detail/own_thread_end.hpp>

namespace jtimer::cluster::detail {

ConnectedThread::ConnectedThread(Engine& engine, const std::string& conninfo)
    : engine_(engine), store_(engine.options, conninfo), alarm_(*engine.timer, [this] {
          paused_ = false;
          resume();
      }) {}

void ConnectedThread::start() {
    thread_ = boost::thread([this] { run(); });
}

void ConnectedThread::join() {
    if (thread_.joinable()) thread_.join();
}

void ConnectedThread::run() {
    const jtimer::detail::OwnThreadEnd end;
    while (true) {
        try {
            if (!waitForWork()) return finish();
            work();
        } catch (const std::exception& exception) {
            pause(exception);
            continue;
        }
        const int failures = failures_.exchange(0);
        if (failures == 0) continue;
        engine_.counters.add(&Stats::reconnects);
        if (failures > 1) engine_.outage.ends();
        recovered();
    }
}

Micros ConnectedThread::pauseAfter(int failures) const {
    return reconnectDelay(failures, randomFraction());
}

/// The first failure may be the end of a connection that had been idle, so only the second in a row
/// makes an outage.
void ConnectedThread::pause(const std::exception& exception) {
    if (++failures_ == 2) engine_.outage.begins(exception.what());
    const Micros delay = pauseAfter(failures_);
    store_.disconnect();
    failed(delay);
    paused_ = true;
    alarm_.setIn(delay);
}

}  // namespace jtimer::cluster::detail
