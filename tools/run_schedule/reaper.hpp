// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

/// As the first process of a container (process 1), or as a child subreaper, a process gets the
/// orphans of others as its children, and has to wait for them; and signals that it does not handle
/// have no effect on process 1. So there are two processes then: this one waits for whatever ends,
/// passes all signals on, and exits as the other one does; its child returns from here and plays
/// the schedule. Neither waits for a child of the other.
///
/// Elsewhere, this does nothing. To be called before the first thread starts, with all signals
/// blocked that must not be lost.
/// \throws std::system_error if there can be no other process
void leaveOrphansToParent();
