// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

/// Plays a piece of code with several threads again and again, each time with other decisions about
/// which thread runs, and which store a load sees. See ../README.md.
namespace explore {

/// How far a search goes. What costs nothing in this sense, such as which thread continues when one
/// blocks, is tried in all ways.
struct Bounds {
    unsigned preemptions = 2;    ///< how often a thread that could continue is set aside
    unsigned staleReads = 1;     ///< how many loads see a store that is not the newest
    unsigned delayedStores = 0;  ///< how many stores are seen by others only after later loads
    /// The number of executions after which an exhaustive search gives up.
    unsigned long most = 30'000;
    /// The number of random executions after it, with twice the bounds above.
    unsigned long random = 1'000;
    unsigned long seed = 1;  ///< of the first random execution; each has its own
    /// Random executions before all others that are not looked at, so that what an execution keeps
    /// for ever, such as a static variable, exists when the first one is.
    unsigned warmUps = 0;
};

struct Result {
    unsigned long executions = 0;
    bool complete = false;   ///< the exhaustive search has found its end
    std::string failure;     ///< what was wrong; empty: nothing
    std::string trace;       ///< of the failing execution: the decisions
    std::string events;      ///< and what its threads did last
    unsigned long seed = 0;  ///< of the failing execution, if that was a random one
    std::uint64_t hash = 0;  ///< of all decisions and events: equal if the executions were the same
};

/// Plays `body` on a thread of its own, which may start others. An execution has failed if check()
/// or fail() says so, if two threads race for plain data, if none can continue, or if memory is
/// used after it was freed or is not freed in the end.
Result search(const Bounds& bounds, const std::function<void()>& body);

/// Plays one execution: with these decisions.
Result replay(const Bounds& bounds, const std::function<void()>& body, const std::string& trace);

// Inside an execution.

/// Ends the execution as failed.
[[noreturn]] void fail(const std::string& what);
inline void check(bool holds, const char* what) {
    if (!holds) fail(what);
}
/// Runs each on a thread of its own, and returns when all of them have ended.
void together(std::initializer_list<std::function<void()>> bodies);
void together(const std::vector<std::function<void()>>& bodies);
/// Returns when all other threads have ended.
void joinAll();
/// Forks, between the handlers that the library has registered. The child, which has no other
/// thread, calls `body`, and ends. The execution fails in the parent if it has in the child.
void inForkedChild(const std::function<void()>& body);
/// Lets other threads run; for a loop that waits for one.
void yield();
/// A decision of the body: a number below `options`.
unsigned choose(unsigned options);
/// In a random execution, from now on a thread is set aside at one of so many steps, and a load
/// that may see an older value does so in one of so many cases.
void pace(unsigned preemptionOneIn, unsigned staleReadOneIn);
/// Whether the calling thread holds a mutex.
bool holdsLock();
/// From now on one of `oneIn` allocations of the instrumented code fails; 0: none. At random only.
void failAllocations(unsigned oneIn);
/// The same for the start of threads.
void failThreadStarts(unsigned oneIn);

}  // namespace explore
