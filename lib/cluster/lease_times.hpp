// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/micros.hpp"

#include <algorithm>

namespace jtimer::cluster::detail {

// The times by which an outage of the database declares no node dead. A renewal that is due at the
// end of an outage is answered a quarter of a lease later at the latest; one that the outage has
// not prevented comes a third of the shortest lease after the one before. If no renewal arrives for
// longer than two fifths of the shortest lease, all leases begin anew. So of two renewals of a node
// without such a gap, the second one comes 1/3 + 2/5 + 1/4 = 59/60 of a lease after the first.

/// Between two renewals.
constexpr Micros renewalInterval(Micros shortestLease) noexcept { return shortestLease / 3; }

/// After which an attempt to renew is given up, with its connection.
constexpr Micros renewalTimeout(Micros lease) noexcept { return lease / 6; }

/// Between two attempts.
constexpr Micros longestRenewalPause(Micros lease) noexcept { return lease / 12; }

/// Between two looks at a lease that has expired, but that this node could not take over: another
/// node is doing so.
inline constexpr Micros kNextLook = 50'000;

/// From a renewal to the next one. At the very time when the lease of another node ends unless it
/// is renewed, a node looks again.
/// \param nextLeaseEndIn not positive: it has ended
constexpr Micros nextRenewalIn(Micros shortestLease, Micros nextLeaseEndIn) noexcept {
    return std::min(renewalInterval(shortestLease), std::max(nextLeaseEndIn, kNextLook));
}

}  // namespace jtimer::cluster::detail
