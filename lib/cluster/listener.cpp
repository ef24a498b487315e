// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/listener.hpp"

#include <utility>

namespace jtimer::cluster::detail {

namespace {
constexpr Micros kAnHour = 3'600'000'000;
}

Listener::Listener(const Options& options, Timer& timer, Outage& outage, Counters& counters,
                   std::function<void()> lookForTasks)
    : lookForTasks_(std::move(lookForTasks)), counters_(counters),
      store_(options, options.notifyConninfo), attempts_(outage, counters), retry_(timer, [this] {
          retryDue_ = true;
          pipe_.wake();
      }) {}

void Listener::join() {
    ending_ = true;
    pipe_.wake();
    if (thread_.joinable()) thread_.join();
}

void Listener::start() {
    store_.listen();
    listening_ = true;
    thread_ = boost::thread([this] { run(); });
}

void Listener::run() {
    while (!ending_) {
        try {
            turn();
        } catch (const std::exception& exception) {
            failed(exception);
        }
    }
}

void Listener::turn() {
    if (!listening_) {
        store_.listen();
        listening_ = true;
        attempts_.succeeded();
        lookForTasks_();  // what was notified meanwhile has not been heard
    }
    switch (store_.wait(kAnHour, pipe_.fd())) {
    case Store::Event::Notified:
        ++counters_.notifications;
        lookForTasks_();
        break;
    case Store::Event::Woken:
        pipe_.clear();
        break;
    case Store::Event::TimedOut:
        break;
    }
}

void Listener::failed(const std::exception& exception) {
    const Micros delay = attempts_.failed(exception);
    store_.disconnect();
    listening_ = false;
    retryDue_ = false;
    try {
        retry_.setIn(delay);
        while (!retryDue_ && !ending_) {
            pipe_.wait();
            pipe_.clear();
        }
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): no memory for the alarm
    }
}

}  // namespace jtimer::cluster::detail
