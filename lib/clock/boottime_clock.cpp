// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/clock.hpp>

#if defined(__linux__)

#include "base/condition.hpp"

#include <array>
#include <cerrno>
#include <ctime>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <system_error>
#include <unistd.h>

namespace jtimer {

namespace {

constexpr Nanos kNanosPerSecond = 1'000'000'000;

Nanos boottimeNanos() {
    timespec time{};
    clock_gettime(CLOCK_BOOTTIME, &time);
    return Nanos{time.tv_sec} * kNanosPerSecond + time.tv_nsec;
}

class FileDescriptor {
  public:
    FileDescriptor(int fd, const char* what) : fd_(fd) {
        if (fd < 0) throw std::system_error(errno, std::generic_category(), what);
    }
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;
    ~FileDescriptor() { ::close(fd_); }

    int get() const noexcept { return fd_; }

  private:
    const int fd_;
};

/// A condition variable cannot wait on CLOCK_BOOTTIME, and one that waits on CLOCK_MONOTONIC
/// oversleeps by the time the computer was suspended. A timerfd can: the kernel ends its wait at
/// resume if the deadline has passed meanwhile. So this one waits for the timerfd, or for an
/// eventfd that notifies.
class BoottimeCondition final : public Condition {
  public:
    explicit BoottimeCondition(Nanos offset) : offset_(offset) {}

    void waitUntil(Lock& monitor, Nanos deadline) override {
        itimerspec at{};
        if (deadline != kNever) {
            // All zeros would disarm the timer; 1 ns after boot has passed as well as 0 ns has.
            const Nanos boottime = deadline - offset_ > 0 ? deadline - offset_ : 1;
            at.it_value.tv_sec = boottime / kNanosPerSecond;
            at.it_value.tv_nsec = boottime % kNanosPerSecond;
        }
        timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &at, nullptr);

        // The eventfd keeps a notification that comes between the unlock and the poll.
        monitor.unlock();
        std::array<pollfd, 2> fds{{{timer_.get(), POLLIN, 0}, {notified_.get(), POLLIN, 0}}};
        ::poll(fds.data(), fds.size(), -1);  // a signal may end it: as good a reason as none
        std::uint64_t count = 0;
        if ((fds[1].revents & POLLIN) != 0) (void)!::read(notified_.get(), &count, sizeof count);
        monitor.lock();
    }

    void notify() override {
        const std::uint64_t one = 1;
        (void)!::write(notified_.get(), &one, sizeof one);
    }

    Nanos settlingTime() const noexcept override { return detail::kNanosPerMilli; }

  private:
    const Nanos offset_;
    const FileDescriptor timer_{timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK),
                                "a timer on BoottimeClock needs a timerfd"};
    const FileDescriptor notified_{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
                                   "a timer on BoottimeClock needs an eventfd"};
};

}  // namespace

BoottimeClock::BoottimeClock() : offset_(WallClock().nanos() - boottimeNanos()) {}
BoottimeClock::~BoottimeClock() = default;

std::int64_t BoottimeClock::nanos() const { return boottimeNanos() + offset_; }

std::unique_ptr<Condition> BoottimeClock::makeCondition() const {
    return std::make_unique<BoottimeCondition>(offset_);
}

}  // namespace jtimer

#endif
