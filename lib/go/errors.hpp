// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

/// The texts of IllegalStateExceptions, the first two of TimersDestroyed, that are thrown in
/// several places.
namespace jtimer::go::detail {

inline constexpr const char* kCloseClosed = "close of closed channel";
inline constexpr const char* kCloseNil = "close of nil channel";
inline constexpr const char* kDestroyed = "time: Timers destroyed";
inline constexpr const char* kForked = "time: Timers belong to the parent process";
inline constexpr const char* kHopeless = "time: receive on a Channel that nothing can send to";
inline constexpr const char* kNilChannel = "time: receive on a nil Channel";
inline constexpr const char* kNilSend = "time: send on a nil Chan";
inline constexpr const char* kNoChannel = "time: select without a Channel";
inline constexpr const char* kOnPoller = "time: would block the thread that fires the timers";
inline constexpr const char* kSendClosed = "send on closed channel";

}  // namespace jtimer::go::detail
