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
    : ConnectedThread(engine, conninfo), listens_(listens) {}

void Listener::start() {
    listen();
    wake();  // for the first turn
    ConnectedThread::start();
}

void Listener::end() noexcept {
    ending_ = true;
    wake();
}

/// After the first failure, it goes on at once.
bool Listener::waitForWork() {
    while (paused() && failures() > 1 && !ending_) {
        pipe_.wait();
        pipe_.clear();
    }
    if (!listening_) return !ending_;
    const Notification notification = store_.waitForNotification(kAnHour, pipe_.fd());
    pipe_.clear();
    if (notification != Notification::None) {
        engine_.counters.add(&Stats::notifications);
        if (notification == Notification::Renewal) engine_.node.renewNow();
        engine_.dispatcher.lookForTasks();
    }
    return !ending_;
}

void Listener::work() {
    turn();
    if (listening_) return;
    listen();
    engine_.dispatcher.lookForTasks();  // what was notified meanwhile has not been heard
}

void Listener::listen() {
    if (listens_)
        store_.listen();
    else
        store_.connect();
    listening_ = true;
}

void Listener::failed(Micros) { listening_ = false; }

}  // namespace jtimer::cluster::detail
