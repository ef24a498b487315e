// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "sync/lock.hpp"
#include "sync/wait_report.hpp"

namespace jtimer::detail {

// In place of lib/sync/reported_wait.hpp: waits without steps and without a report. The engine
// itself finds a wait that never ends.

template <class WaitFor>
bool waitOrReport(WaitReport&, Lock&, const WaitFor&) {
    return false;
}

template <class IsOver>
void waitReported(WaitReport&, Condition& changed, Lock& lock, const IsOver& isOver) {
    changed.wait(lock, isOver);
}

}  // namespace jtimer::detail
