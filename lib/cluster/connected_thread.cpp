// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/connected_thread.hpp"

#include "cluster/backoff.hpp"

#include <jtimer/detail/own_thread_end.hpp>

#include <algorithm>

namespace jtimer::cluster::detail {

ConnectedThread::ConnectedThread(Environment& environment, const std::string& conninfo, Duty& duty,
                                 Micros longestPause)
    : environment_(environment), duty_(duty), longestPause_(longestPause),
      store_(environment.options, conninfo), alarm_(*environment.timer, [this] {
          paused_ = false;
          duty_.resume();
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
            if (!duty_.waitForWork()) break;
            duty_.work();
        } catch (const std::exception& exception) {
            pause(exception);
            continue;
        }
        const int failures = failures_.exchange(0);
        if (failures == 0) continue;
        environment_.counters.add(&Stats::reconnects);
        if (failures > 1) environment_.outage.ends();
        duty_.recovered();
    }
    duty_.finish();
    store_.disconnect();
}

/// The first failure may be the end of a connection that had been idle, so only the second in a row
/// makes an outage.
void ConnectedThread::pause(const std::exception& exception) {
    if (++failures_ == 2) environment_.outage.begins(exception.what());
    const Micros delay = std::min(reconnectDelay(failures_, randomFraction()), longestPause_);
    store_.disconnect();
    duty_.pausing(delay);
    paused_ = true;
    alarm_.setIn(delay);
}

}  // namespace jtimer::cluster::detail
