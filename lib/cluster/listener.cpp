// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/listener.hpp"

#include <utility>

namespace jtimer::cluster::detail {

namespace {
constexpr Micros kAnHour = 3'600'000'000;
}

Listener::Listener(Environment& environment, Calls calls, const std::string& conninfo, bool listens,
                   Micros longestPause)
    : environment_(environment), calls_(std::move(calls)), listens_(listens),
      thread_(environment, conninfo, *this, longestPause) {}

void Listener::start() {
    listen();
    wake();  // for the first turn
    thread_.start();
}

void Listener::stop() noexcept {
    stopping_ = true;
    wake();
}

/// After the first failure, it goes on at once.
bool Listener::waitForWork() {
    while (thread_.paused() && thread_.failures() > 1 && !stopping_) {
        pipe_.wait();
        pipe_.clear();
    }
    if (!listening_) return !stopping_;
    const Notification notification = store().waitForNotification(kAnHour, pipe_.fd());
    pipe_.clear();
    if (notification != Notification::None) {
        environment_.counters.add(&Stats::notifications);
        if (notification == Notification::Renewal) calls_.renewNow();
        calls_.lookForTasks();
    }
    return !stopping_;
}

void Listener::work() {
    calls_.turn();
    if (listening_) return;
    listen();
    calls_.lookForTasks();  // what was notified meanwhile has not been heard
}

void Listener::listen() {
    if (listens_)
        store().listen();
    else
        store().connect();
    listening_ = true;
}

}  // namespace jtimer::cluster::detail
