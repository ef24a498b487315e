// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "go/chan_cell.hpp"
#include "go/event_cell.hpp"
#include "go/wait.hpp"

#include <cstddef>
#include <list>
#include <optional>
#include <vector>

namespace jtimer::go::detail {

/// The value that a call has received, and the index of its channel.
struct Received {
    std::size_t index;
    Nanos value;
};

/// What a call receives from or sends to: the channels of timers in any order, perhaps with the
/// same cell twice; events and Chans in the order of their indices. For the call, prepare() sorts
/// timers and Chans by locking order.
struct Sources {
    std::vector<Candidate> cells;
    std::list<EventCase> events;
    std::list<ChanCase> chans;

    /// Adds the channel of a timer or an event.
    void add(Item& item, std::size_t index);
    /// Whether it has sources that belong to no runtime, and so to no clock.
    bool hasUntimed() const noexcept { return !events.empty() || !chans.empty(); }
    /// \throws TimersDestroyed in a forked child, if an event or a Chan belongs to another process
    void requireOfThisProcess() const;

    /// Removes the timers whose runtime is over, from which nothing can be received; and keeps each
    /// timer once: if a channel is listed twice, the first one receives. Takes no lock.
    /// \returns the runtime of one that was over, if any
    Runtime* prepare();

    /// To be called before they are locked: see ChannelCell.
    void catchUp() const;
};

/// Holds the locks of all timers and Chans during its lifetime.
class LockedSources {
  public:
    explicit LockedSources(Sources& sources);
    LockedSources(const LockedSources&) = delete;
    LockedSources& operator=(const LockedSources&) = delete;
    ~LockedSources();

    /// Receives from, or sends to, the source among those that are ready that select() describes.
    /// \returns nothing if none is ready
    /// \throws std::bad_alloc, with nothing received or sent
    std::optional<Received> takeReady(const std::optional<TimeOut>& timeOut, WakeList& toWake);

    /// From now on the wait also waits for the timers and the Chans, none of which is ready.
    void add(Wait& wait);

  private:
    Sources& sources_;
};

}  // namespace jtimer::go::detail
