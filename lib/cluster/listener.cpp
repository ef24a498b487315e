// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/listener.hpp"

#include "cluster/scheduler_state.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <system_error>
#include <unistd.h>

namespace jtimer::cluster::detail {

namespace {
constexpr Micros kAnHour = 3'600'000'000;
}

WakePipe::WakePipe() {
    if (::pipe(ends_) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    for (const int end : ends_) {
        ::fcntl(end, F_SETFD, FD_CLOEXEC);
        ::fcntl(end, F_SETFL, O_NONBLOCK);
    }
}

WakePipe::~WakePipe() {
    for (const int end : ends_) ::close(end);
}

void WakePipe::wake() noexcept {
    // A full pipe is readable too.
    while (::write(ends_[1], "", 1) < 0 && errno == EINTR) continue;
}

void WakePipe::clear() noexcept {
    std::array<char, 64> bytes{};
    while (::read(ends_[0], bytes.data(), bytes.size()) > 0) continue;
}

void WakePipe::wait() noexcept {
    pollfd wanted{ends_[0], POLLIN, 0};
    while (::poll(&wanted, 1, -1) < 0) continue;
}

Listener::Listener(Engine& engine, const std::string& conninfo, bool listens)
    : engine_(engine), store_(engine.options, conninfo), listens_(listens),
      attempts_(*engine.timer, engine.outage, engine.counters, [this] { pipe_.wake(); }) {}

void Listener::start() {
    listen();
    thread_ = boost::thread([this] { run(); });
}

void Listener::end() noexcept {
    ending_ = true;
    pipe_.wake();
}

void Listener::join() {
    if (thread_.joinable()) thread_.join();
}

void Listener::run() {
    while (!ending_) {
        try {
            turn();
            if (!listening_) {
                listen();
                attempts_.succeeded();
                engine_.dispatcher
                    .lookForTasks();  // what was notified meanwhile has not been heard
            }
            waitForEvent();
        } catch (const std::exception& exception) {
            failed(exception);
        }
    }
    finish();
    store_.disconnect();
}

void Listener::listen() {
    if (listens_)
        store_.listen();
    else
        store_.connect();
    listening_ = true;
}

void Listener::waitForEvent() {
    const bool notified = store_.waitForNotification(kAnHour, pipe_.fd());
    pipe_.clear();
    if (!notified) return;
    engine_.counters.add(&Stats::notifications);
    engine_.dispatcher.lookForTasks();
}

/// Makes another attempt, the first time at once.
void Listener::failed(const std::exception& exception) {
    attempts_.failed(exception);
    store_.disconnect();
    listening_ = false;
    if (attempts_.failures() == 1) return;
    while (attempts_.paused() && !ending_) {
        pipe_.wait();
        pipe_.clear();
    }
}

}  // namespace jtimer::cluster::detail
