// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

namespace jtimer::detail {

/// Calls `atEnd` when a thread that has asked for it ends, among the destructors of its
/// thread_local objects. What `atEnd` gives back can be plain thread_local data without a
/// destructor, so that an access to it need not check whether it has been constructed.
template <void (*atEnd)() noexcept>
class ThreadEnd {
  public:
    ThreadEnd() noexcept = default;
    ThreadEnd(const ThreadEnd&) = delete;
    ThreadEnd& operator=(const ThreadEnd&) = delete;
    ~ThreadEnd() {
        hasCome_ = true;
        atEnd();
    }

    /// Asks for the call on the calling thread.
    static void await() noexcept {
        ofThisThread_.isAwaited_ = true;  // the first use constructs it, so it will be destroyed
    }

    /// Whether the call has begun on the calling thread. From then on nothing will be given back
    /// any more; but destructors of other thread_local objects may still run.
    static bool hasCome() noexcept { return hasCome_; }

  private:
    static inline thread_local bool hasCome_ = false;  // outlives ofThisThread_
    static thread_local ThreadEnd ofThisThread_;

    bool isAwaited_ = false;
};

template <void (*atEnd)() noexcept>
thread_local ThreadEnd<atEnd> ThreadEnd<atEnd>::ofThisThread_;

}  // namespace jtimer::detail
