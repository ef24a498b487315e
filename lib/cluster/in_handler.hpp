// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

namespace jtimer::cluster::detail {

struct Environment;

/// While it exists, the calling thread is inside of a function of the user's which a node has
/// called and waits for: a handler, or one of Options. So it must not wait for the node's end.
class InHandler {
  public:
    explicit InHandler(const Environment& node) noexcept;
    ~InHandler();
    InHandler(const InHandler&) = delete;
    InHandler& operator=(const InHandler&) = delete;

    /// Whether the calling thread is.
    static bool isOf(const Environment& node) noexcept;

  private:
    const Environment* const outer_;
};

}  // namespace jtimer::cluster::detail
