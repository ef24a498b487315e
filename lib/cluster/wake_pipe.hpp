// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

namespace jtimer::cluster::detail {

/// Wakes a thread that waits for a socket. Any thread may call wake(), one the other functions.
class WakePipe {
  public:
    /// \throws std::system_error without file descriptors
    WakePipe();
    ~WakePipe();
    WakePipe(const WakePipe&) = delete;
    WakePipe& operator=(const WakePipe&) = delete;

    void wake() noexcept;

    int fd() const noexcept { return ends_[0]; }  ///< readable after wake(), until clear()
    void clear() noexcept;
    void wait() noexcept;  ///< until it is readable

  private:
    int ends_[2] = {-1, -1};
};

}  // namespace jtimer::cluster::detail
