// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "sync/process_number.hpp"

#include <atomic>
#include <cstdint>

namespace jtimer::detail {

/// The process in which a thread is inside a section that a mutex guards and that may last, as it
/// waits for user code. In a child that another thread forks meanwhile, nobody releases the mutex:
/// there it must not be taken.
class ProcessOfSection {
  public:
    /// To be made under the mutex, for the section.
    class Scope {
      public:
        explicit Scope(ProcessOfSection& section) noexcept : section_(section) {
            section_.process_.store(numberOfThisProcess(), std::memory_order_relaxed);
        }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;
        ~Scope() { section_.process_.store(0, std::memory_order_relaxed); }

      private:
        ProcessOfSection& section_;
    };

    /// Whether this is such a child. Relaxed: its one thread sees what the fork has copied.
    bool isOfParent() const noexcept {
        const std::uint32_t process = process_.load(std::memory_order_relaxed);
        return process != 0 && process != numberOfThisProcess();
    }

  private:
    std::atomic<std::uint32_t> process_{0};
};

}  // namespace jtimer::detail
