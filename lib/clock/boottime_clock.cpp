// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/clock.hpp>

#if defined(__linux__)

#include "clock/system_time.hpp"
#include "clock/waiter.hpp"
#include "sync/uninterruptible.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <limits>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <system_error>
#include <unistd.h>

namespace jtimer {

using detail::boottimeNanos;
using detail::kNever;
using detail::Lock;
using detail::Nanos;
using detail::saturatingSubtract;
using detail::wallNanos;

namespace {

constexpr Nanos kNanosPerSecond = 1'000'000'000;

class FileDescriptor {
  public:
    FileDescriptor(int fd, const char* what) : fd_(fd) {
        if (fd < 0) throw std::system_error(errno, std::generic_category(), what);
    }
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;
    ~FileDescriptor() {
        const detail::Uninterruptible uninterruptible;
        ::close(fd_);
    }

    int get() const noexcept { return fd_; }

  private:
    const int fd_;
};

/// A condition variable cannot wait on CLOCK_BOOTTIME, and one that waits on CLOCK_MONOTONIC
/// oversleeps by the time for which the computer was suspended. A timerfd can wait on
/// CLOCK_BOOTTIME: the kernel ends its wait at resume if the deadline has passed meanwhile. So this
/// waiter waits for a timerfd, or for an eventfd that notifies it.
class BoottimeWaiter final : public detail::Waiter {
  public:
    explicit BoottimeWaiter(Nanos offset) : offset_(offset) {}

    void waitUntil(Lock& lock, Nanos deadline, Nanos) override {
        itimerspec at{};
        if (deadline != kNever) {
            // All zeros would disarm the timer; 1 ns after boot has passed too.
            const Nanos boottime = std::max(saturatingSubtract(deadline, offset_), Nanos{1});
            // If time_t has 32 bits, a wait that does not fit into it ends early.
            at.it_value.tv_sec = static_cast<std::time_t>(std::min<Nanos>(
                boottime / kNanosPerSecond, std::numeric_limits<std::time_t>::max()));
            at.it_value.tv_nsec = static_cast<long>(boottime % kNanosPerSecond);
        }
        timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &at, nullptr);

        // The eventfd keeps a notification that comes between the unlock and the poll.
        lock.unlock();
        std::array<pollfd, 2> fds{{{timer_.get(), POLLIN, 0}, {notified_.get(), POLLIN, 0}}};
        while (::poll(fds.data(), fds.size(), -1) < 0 &&
               errno == EINTR) {  // a signal's handler ran
        }
        std::uint64_t count = 0;
        if ((fds[1].revents & POLLIN) != 0) (void)!::read(notified_.get(), &count, sizeof count);
        lock.lock();
    }

    /// If the thread could be cancelled here, the notification would be lost.
    void notify() override {
        const detail::Uninterruptible uninterruptible;
        const std::uint64_t one = 1;
        (void)!::write(notified_.get(), &one, sizeof one);
    }

    bool canBeSetForward() const noexcept override { return false; }
    bool wakesLate() const noexcept override { return true; }
    Nanos settlingTime() const noexcept override { return detail::kNanosPerMilli; }

  private:
    const Nanos offset_;
    const FileDescriptor timer_{timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK),
                                "a timer on BoottimeClock needs a timerfd"};
    const FileDescriptor notified_{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
                                   "a timer on BoottimeClock needs an eventfd"};
};

}  // namespace

BoottimeClock::BoottimeClock() : offset_(wallNanos() - boottimeNanos()) {}
BoottimeClock::~BoottimeClock() = default;

std::int64_t BoottimeClock::nanos() const { return boottimeNanos() + offset_; }

std::shared_ptr<detail::Waiter> BoottimeClock::makeWaiter() const {
    return std::make_shared<BoottimeWaiter>(offset_);
}

}  // namespace jtimer

#endif
