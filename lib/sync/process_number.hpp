// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <atomic>
#include <cstdint>

namespace jtimer::detail {

/// Counts the forks between the process that loaded the library, which is number 1, and this one.
/// Written in a forked child before fork() returns, while it has one thread; hence relaxed.
extern std::atomic<std::uint32_t> numberOfProcess;

/// Tells a process from its forked children, as getpid() does, but at the cost of a load instead of
/// a system call. An object that belongs to one process, as a thread does, stores it. 0 is no
/// process. A child created by a bare clone() instead of fork() has its parent's number, and so
/// has every child in the handlers of pthread_atfork() that were registered before the library was
/// loaded. So where a timer's thread is joined or notified, getpid() decides.
inline std::uint32_t numberOfThisProcess() noexcept {
    return numberOfProcess.load(std::memory_order_relaxed);
}

/// How often the calling thread has been copied into a forked child: in a process that has forked,
/// 0 for each thread but that which called fork(). Written before fork() returns in the child.
const std::uint32_t& forksOfThisThread() noexcept;

/// Made by a thread that is about to call user code: whether that has forked, and this is the
/// child. Where numberOfThisProcess() tells processes apart, this tells a thread from its copy; so
/// it also holds for a thread that handlers of fork start in the child, while the numbers change.
/// Costs a load.
class ForkWatch {
  public:
    bool hasForked() const noexcept { return *forks_ != before_; }

  private:
    const std::uint32_t* forks_ = &forksOfThisThread();
    std::uint32_t before_ = *forks_;
};

}  // namespace jtimer::detail
