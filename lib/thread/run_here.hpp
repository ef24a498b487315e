// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

namespace jtimer::detail {

/// While it exists, the calling thread is inside a run of something, named by its address and, if
/// it has several kinds of runs, by the kind. So a call that waits for the end of a run can tell
/// that it was made inside that run. Runs may be nested: an executor may call one function inside
/// another.
class RunHere {
  public:
    explicit RunHere(const void* what, int kind = 0) noexcept
        : what_(what), kind_(kind), outer_(innermost) {
        innermost = this;
    }
    RunHere(const RunHere&) = delete;
    RunHere& operator=(const RunHere&) = delete;
    ~RunHere() { innermost = outer_; }

    /// Whether the calling thread is inside a run of this.
    static bool isInside(const void* what, int kind = 0) noexcept {
        for (const RunHere* run = innermost; run != nullptr; run = run->outer_) {
            if (run->what_ == what && run->kind_ == kind) return true;
        }
        return false;
    }

  private:
    static inline thread_local const RunHere* innermost = nullptr;

    const void* const what_;
    const int kind_;
    const RunHere* const outer_;
};

}  // namespace jtimer::detail
