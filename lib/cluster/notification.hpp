// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

namespace jtimer::cluster::detail {

/// What a notification asks for; more than one, for the most of them.
enum class Notification { None, Tasks, Renewal };

/// Of a notification that asks for a renewal. Older libraries look for tasks.
inline constexpr const char* kRenewalPayload = "renew";

}  // namespace jtimer::cluster::detail
