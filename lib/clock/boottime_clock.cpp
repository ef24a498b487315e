// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/clock.hpp>

#if defined(__linux__)

#include "clock/system_time.hpp"
#include "clock/waiter.hpp"
#include "sync/assert.hpp"
#include "sync/process_number.hpp"
#include "sync/threads.hpp"
#include "sync/uninterruptible.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <exception>
#include <iostream>
#include <limits>
#include <memory>
#include <poll.h>
#include <pthread.h>
#include <sys/timerfd.h>
#include <system_error>
#include <unistd.h>

namespace jtimer {

using detail::boottimeNanos;
using detail::kNever;
using detail::Lock;
using detail::Nanos;
using detail::saturatingAdd;
using detail::saturatingSubtract;
using detail::wallNanos;
namespace threads = detail::threads;

namespace {

constexpr Nanos kNanosPerSecond = 1'000'000'000;

/// A timerfd for one thread, which it knows again: the program may close any descriptor
/// (closefrom() before a daemon begins), and another file may get its number. So each has an
/// interval of its own, which is decades long and never comes; no other timerfd has that, and no
/// other file has any.
class OwnTimerfd {
  public:
    OwnTimerfd() : fd_(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK)) {
        if (fd_ < 0)
            throw std::system_error(errno, std::generic_category(),
                                    "a timer on BoottimeClock needs a timerfd");
        set({});
    }
    OwnTimerfd(const OwnTimerfd&) = delete;
    OwnTimerfd& operator=(const OwnTimerfd&) = delete;
    ~OwnTimerfd() {
        const detail::Uninterruptible uninterruptible;
        if (isOpen()) ::close(fd_);
    }

    /// Whether it belongs to this process. A forked child shares it with its parent, and must not
    /// set it.
    bool isOfThisProcess() const noexcept { return process_ == detail::numberOfThisProcess(); }

    /// Ends poll() when CLOCK_BOOTTIME shows this. \returns false if it has been closed, or is the
    /// parent's
    bool arm(Nanos boottime) noexcept {
        if (!isOfThisProcess() || !isOpen()) return false;
        const Nanos positive = std::max(boottime, Nanos{1});  // 0 would disarm it
        timespec at{};
        // If time_t has 32 bits, a wait that does not fit into it ends early.
        at.tv_sec = static_cast<std::time_t>(
            std::min<Nanos>(positive / kNanosPerSecond, std::numeric_limits<std::time_t>::max()));
        at.tv_nsec = static_cast<long>(positive % kNanosPerSecond);
        return set(at);
    }

    /// Waits until then, or for SIGURG. Does not notice that the descriptor is closed meanwhile. If
    /// then another file gets its number, poll() asks that file when the timerfd wakes it, and goes
    /// on waiting; so it has a limit too, which comes after the timerfd.
    /// \param span from now until the time for which it is armed
    void poll(Nanos span) const {
        const Nanos limit = saturatingAdd(span, detail::kNanosPerMilli);
        timespec timeout{};
        timeout.tv_sec = static_cast<std::time_t>(
            std::min<Nanos>(limit / kNanosPerSecond, std::numeric_limits<std::time_t>::max()));
        timeout.tv_nsec = static_cast<long>(limit % kNanosPerSecond);
        sigset_t mask;
        pthread_sigmask(SIG_SETMASK, nullptr, &mask);
        sigdelset(&mask, SIGURG);
        pollfd fd{fd_, POLLIN, 0};
        ::ppoll(&fd, 1, &timeout, &mask);
    }

  private:
    bool isOpen() const noexcept {
        itimerspec now{};
        return timerfd_gettime(fd_, &now) == 0 && now.it_interval.tv_sec == mark_.tv_sec &&
               now.it_interval.tv_nsec == mark_.tv_nsec;
    }
    bool set(const timespec& at) noexcept {
        const itimerspec armed{mark_, at};
        return timerfd_settime(fd_, TFD_TIMER_ABSTIME, &armed, nullptr) == 0;
    }
    static timespec nextMark() noexcept {
        static std::atomic<std::uint32_t> last{0};
        constexpr std::time_t decades = std::time_t{60} * 365 * 86'400;
        timespec mark{};
        mark.tv_sec = decades + static_cast<std::time_t>(++last % 100'000'000);
        mark.tv_nsec = getpid();
        return mark;
    }

    const int fd_;
    const timespec mark_ = nextMark();
    const std::uint32_t process_ = detail::numberOfThisProcess();
};

/// To std::cerr, once in the process.
void reportClosedTimerfd() noexcept {
    static std::atomic<bool> reported{false};
    if (reported.exchange(true)) return;
    try {
        std::cerr << "BoottimeClock: the program has closed the timerfd of a timer's thread. The "
                     "timer goes on, but up to a second late after the computer was suspended.\n"
                  << std::flush;
    } catch (const std::exception&) {  // of a stream that is set to throw
    }
}

/// A condition variable cannot wait on CLOCK_BOOTTIME, and one that waits on CLOCK_MONOTONIC
/// oversleeps by the time for which the computer was suspended. A timerfd can wait on
/// CLOCK_BOOTTIME: the kernel ends its wait at resume if the deadline has passed meanwhile. So this
/// waiter waits for a timerfd, which a notification sets to a time that has passed. Without a
/// deadline it needs no descriptor, and waits on a condition variable.
///
/// If the program closes the descriptor, poll() still ends at the deadline (if another file gets
/// its number too, not before the time that the computer was suspended is made up), but setting the
/// timerfd cannot end it. Then a notification sends the thread SIGURG, which any handler of a
/// program must bear at any time. From then on the waiter waits on the condition variable, and
/// looks at the clock once a second. Refused: to end each poll() after a second, as a timer whose
/// tasks are an hour away never wakes up.
class BoottimeWaiter final : public detail::Waiter {
  public:
    explicit BoottimeWaiter(Nanos offset) : offset_(offset) {}

    /// The monitor is released with going_ held. So notify(), which comes after that, finds out
    /// whether the thread is in poll().
    void waitUntil(Lock& lock, Nanos deadline, Nanos now) override {
        JTIMER_ASSERT(lock.owns_lock());
        threads::unique_lock<threads::mutex> going(going_);
        isNotified_ = false;
        lock.unlock();
        for (; !isNotified_ && now < deadline; now = boottimeNanos() + offset_) {
            if (deadline == kNever) {
                notified_.wait(going);
            } else if (timer_.arm(saturatingSubtract(deadline, offset_))) {
                const InPoll inPoll(*this, going);
                timer_.poll(saturatingSubtract(deadline, now));
            } else {
                if (timer_.isOfThisProcess()) reportClosedTimerfd();
                notified_.wait_for(going, threads::chrono::nanoseconds(std::min(
                                              saturatingSubtract(deadline, now), kNanosPerSecond)));
            }
        }
        going.unlock();
        lock.lock();
    }

    void notify() override {
        const detail::Uninterruptible uninterruptible;
        threads::unique_lock<threads::mutex> going(going_);
        isNotified_ = true;
        if (!isInPoll_) {
            notified_.notify_one();
        } else if (!timer_.arm(1)) {
            interruptPoll(going);
        }
    }

    bool canBeSetForward() const noexcept override { return false; }
    bool wakesLate() const noexcept override { return true; }
    Nanos settlingTime() const noexcept override { return detail::kNanosPerMilli; }

  private:
    /// While the thread is in poll(), going_ is released. The thread may be cancelled there.
    class InPoll {
      public:
        InPoll(BoottimeWaiter& waiter, threads::unique_lock<threads::mutex>& going)
            : waiter_(waiter), going_(going) {
            waiter_.thread_ = pthread_self();
            waiter_.isInPoll_ = true;
            going_.unlock();
        }
        InPoll(const InPoll&) = delete;
        InPoll& operator=(const InPoll&) = delete;
        ~InPoll() {
            going_.lock();
            waiter_.isInPoll_ = false;
            waiter_.pollEnded_.notify_all();
        }

      private:
        BoottimeWaiter& waiter_;
        threads::unique_lock<threads::mutex>& going_;
    };

    /// Repeats the signal, as the thread may not have begun to wait yet. As long as isInPoll_ is
    /// true with going_ held, the thread exists.
    void interruptPoll(threads::unique_lock<threads::mutex>& going) {
        struct sigaction current {};
        sigaction(SIGURG, nullptr, &current);
        if ((current.sa_flags & SA_SIGINFO) == 0 &&
            (current.sa_handler == SIG_DFL || current.sa_handler == SIG_IGN)) {
            current.sa_handler = [](int) {};
            sigaction(SIGURG, &current, nullptr);
        }
        while (isInPoll_) {
            pthread_kill(thread_, SIGURG);
            pollEnded_.wait_for(going, threads::chrono::milliseconds(1));
        }
    }

    const Nanos offset_;
    OwnTimerfd timer_;

    /// Guards the rest. The thread releases it only while it waits.
    threads::mutex going_;
    threads::condition_variable notified_;
    bool isNotified_ = false;
    bool isInPoll_ = false;
    pthread_t thread_{};
    threads::condition_variable pollEnded_;
};

}  // namespace

BoottimeClock::BoottimeClock() : offset_(wallNanos() - boottimeNanos()) {}
BoottimeClock::~BoottimeClock() = default;

std::int64_t BoottimeClock::nanos() const { return boottimeNanos() + offset_; }

std::shared_ptr<detail::Waiter> BoottimeClock::makeWaiter() const {
    return std::make_shared<BoottimeWaiter>(offset_);
}

}  // namespace jtimer

#elif defined(_WIN32)

#include "clock/span_wait.hpp"
#include "clock/system_time.hpp"
#include "clock/waiter.hpp"

#include <algorithm>

namespace jtimer {

using detail::boottimeNanos;
using detail::Lock;
using detail::Nanos;
using detail::saturatingSubtract;
using detail::wallNanos;

namespace {

/// Windows has no wait that includes the time for which the computer was suspended and that does
/// not follow the time of day. So this one looks at the clock once a second.
class BoottimeWaiter final : public detail::Waiter {
  public:
    void waitUntil(Lock& lock, Nanos deadline, Nanos now) override {
        constexpr Nanos second = 1'000'000'000;
        wait_.wait(lock, deadline == detail::kNever
                             ? detail::kNever
                             : std::min(saturatingSubtract(deadline, now), second));
    }
    void notify() override { wait_.notify(); }
    bool canBeSetForward() const noexcept override { return false; }
    bool wakesLate() const noexcept override { return true; }
    Nanos settlingTime() const noexcept override { return detail::kNanosPerMilli; }

  private:
    detail::SpanWait wait_;
};

}  // namespace

BoottimeClock::BoottimeClock() : offset_(wallNanos() - boottimeNanos()) {}
BoottimeClock::~BoottimeClock() = default;

std::int64_t BoottimeClock::nanos() const { return boottimeNanos() + offset_; }

std::shared_ptr<detail::Waiter> BoottimeClock::makeWaiter() const {
    return std::make_shared<BoottimeWaiter>();
}

}  // namespace jtimer

#endif
