// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/loopback.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <list>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace test {

/// A port of 127.0.0.1 that leads to a server's Unix socket, and lets so many bytes a second pass
/// in each direction of each connection.
class Throttle {
  public:
    Throttle(const std::string& folder, std::size_t bytesPerSecond)
        : target_(folder + "/.s.PGSQL.5432"), rate_(static_cast<double>(bytesPerSecond)) {
        thread_ = std::thread([this] { run(); });
    }
    ~Throttle() {
        ends_ = true;
        thread_.join();
        ::close(listener_);
    }
    Throttle(const Throttle&) = delete;
    Throttle& operator=(const Throttle&) = delete;

    void setRate(std::size_t bytesPerSecond) { rate_ = static_cast<double>(bytesPerSecond); }

    std::string conninfo() const {
        return "host=127.0.0.1 port=" + std::to_string(port_) + " user=jtimer dbname=postgres";
    }

  private:
    using Clock = std::chrono::steady_clock;

    struct Direction {
        int from, to;
        std::string pending;
        Clock::time_point readyAt;

        bool mayRead(Clock::time_point now) const { return pending.empty() && now >= readyAt; }
    };
    struct Pair {
        Direction up, down;
    };

    void run() {
        while (!ends_) {
            std::vector<pollfd> waited{{listener_, POLLIN, 0}};
            const auto now = Clock::now();
            for (const Pair& pair : pairs_) {
                for (const Direction* each : {&pair.up, &pair.down}) {
                    if (each->mayRead(now)) waited.push_back({each->from, POLLIN, 0});
                    if (!each->pending.empty()) waited.push_back({each->to, POLLOUT, 0});
                }
            }
            ::poll(waited.data(), waited.size(), 2);
            if (waited[0].revents != 0) accept();
            for (auto pair = pairs_.begin(); pair != pairs_.end();) {
                const bool open = !isGone(pair->up.from) && move(pair->up) && move(pair->down);
                if (!open) {
                    ::close(pair->up.from);
                    ::close(pair->up.to);
                }
                pair = open ? std::next(pair) : pairs_.erase(pair);
            }
        }
        for (const Pair& pair : pairs_) {
            ::close(pair.up.from);
            ::close(pair.up.to);
        }
    }

    void accept() {
        const int client = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (client < 0) return;
        const int server = connectTo(target_, SOCK_NONBLOCK);
        if (server < 0) {
            ::close(client);
            return;
        }
        pairs_.push_back({{client, server, {}, {}}, {server, client, {}, {}}});
    }

    /// Whether the client has closed its end: what it would still have been sent is lost.
    static bool isGone(int socket) {
        pollfd waited{socket, POLLRDHUP, 0};
        return ::poll(&waited, 1, 0) > 0;
    }

    /// \returns false if the connection has ended
    bool move(Direction& direction) const {
        const auto now = Clock::now();
        if (direction.mayRead(now)) {
            char chunk[16'384];
            const ssize_t count = ::recv(direction.from, chunk, sizeof chunk, 0);
            if (count == 0 || (count < 0 && errno != EAGAIN)) return false;
            if (count > 0) {
                direction.pending.assign(chunk, static_cast<std::size_t>(count));
                const std::chrono::duration<double> span(static_cast<double>(count) / rate_);
                direction.readyAt = now + std::chrono::duration_cast<Clock::duration>(span);
            }
        }
        if (direction.pending.empty()) return true;
        const ssize_t count =
            ::send(direction.to, direction.pending.data(), direction.pending.size(), MSG_NOSIGNAL);
        if (count < 0 && errno != EAGAIN) return false;
        if (count > 0) direction.pending.erase(0, static_cast<std::size_t>(count));
        return true;
    }

    const std::string target_;
    std::atomic<double> rate_;
    const int listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int port_ = listenOnLoopback(listener_);
    std::list<Pair> pairs_;  ///< the thread's
    std::atomic<bool> ends_{false};
    std::thread thread_;
};

}  // namespace test
