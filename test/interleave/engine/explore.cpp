// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "interleave/engine/engine.hpp"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <unistd.h>

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define HAS_SINGLE_THREADED
#endif

namespace explore {

bool Inside::isInside = false;
bool isPlaying = false;
Budget budget{};
Pace currentPace;

namespace {

struct Decision {
    unsigned taken;
    unsigned options;
};
struct Event {
    unsigned thread;
    const char* what;
    Address address;
    std::uint64_t value;
};

/// The decisions of the execution that is being played. Those before `depth` are given; from there
/// on, each is 0, or random.
struct Play {
    std::vector<Decision> path;
    std::size_t depth = 0;
    bool random = false;
    std::uint64_t state = 0;
    std::string failure;
    std::vector<Event> events;
    std::size_t eventCount = 0;
    std::uint64_t hash = 0;
};
Play play;

constexpr std::size_t kEventsKept = 400;

/// splitmix64
std::uint64_t nextRandom() noexcept {
    play.state += 0x9E3779B97F4A7C15U;
    std::uint64_t z = play.state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
}

void addToHash(std::uint64_t value) noexcept {
    play.hash = (play.hash ^ value) * 0x100000001B3U;
    play.hash ^= play.hash >> 29;
}

/// Moves on to the next execution of the search, depth first. \returns false if that was the last
bool advance() {
    while (!play.path.empty() && play.path.back().taken + 1 == play.path.back().options)
        play.path.pop_back();
    if (play.path.empty()) return false;
    ++play.path.back().taken;
    return true;
}

void* call(void* body) {
    const bool before = std::exchange(Inside::isInside, false);
    (*static_cast<const std::function<void()>*>(body))();
    Inside::isInside = before;
    return nullptr;
}

/// \returns whether it went well
bool playOnce(const Bounds& bounds, unsigned factor, const std::function<void()>& body,
              bool isWarmUp = false) {
    const Inside inside;
#if defined(HAS_SINGLE_THREADED)
    __libc_single_threaded = 0;  // else the counts of shared_ptr are not atomic
#endif
    play.depth = 0;
    play.failure.clear();
    play.eventCount = 0;
    play.events.resize(kEventsKept);
    currentPace = {};
    budget = {bounds.preemptions * factor, bounds.staleReads * factor,
              bounds.delayedStores * factor};
    if (isWarmUp && !play.random) budget = {};
    allocationsFailOneIn = threadStartsFailOneIn = 0;
    beginMemory(!isWarmUp);
    beginAllocations(isWarmUp ? Allocations::Kept : Allocations::OfExecution);
    beginThreads();
    isPlaying = true;
    const bool ended =
        runThreads(call, const_cast<void*>(static_cast<const void*>(&body)));  // NOLINT
    isPlaying = false;
    if (ended && !isWarmUp) play.failure = leaks();
    beginAllocations(Allocations::Outside);
    return play.failure.empty();
}

/// "0*12 2 0 1": twelve zeros first; those at the end are left out.
std::string traceOf(const std::vector<Decision>& path) {
    std::ostringstream text;
    std::size_t end = path.size();
    while (end != 0 && path[end - 1].taken == 0) --end;
    for (std::size_t i = 0; i < end;) {
        std::size_t same = i + 1;
        while (same < end && path[same].taken == path[i].taken) ++same;
        text << (i == 0 ? "" : " ") << path[i].taken;
        if (same - i > 1) text << '*' << same - i;
        i = same;
    }
    return text.str();
}

std::vector<Decision> pathOf(const std::string& trace) {
    std::vector<Decision> path;
    std::istringstream text(trace);
    for (std::string word; text >> word;) {
        const std::size_t star = word.find('*');
        const unsigned long times =
            star == std::string::npos ? 1 : std::stoul(word.substr(star + 1));
        path.insert(path.end(), times, {static_cast<unsigned>(std::stoul(word)), 0});
    }
    return path;
}

std::string eventsOf() {
    std::ostringstream text;
    const std::size_t first = play.eventCount > kEventsKept ? play.eventCount - kEventsKept : 0;
    for (std::size_t i = first; i < play.eventCount; ++i) {
        const Event& event = play.events[i % kEventsKept];
        text << "  thread " << event.thread << ' ' << event.what << ' ' << std::hex << event.address
             << " = " << event.value << std::dec << '\n';
    }
    return text.str();
}

/// The first use of a static variable initializes it: later executions find that done.
bool warmUp(const Bounds& bounds, const std::function<void()>& body) {
    play.random = false;
    play.path.clear();
    if (!playOnce(bounds, 1, body, true)) return false;
    play.random = true;
    for (unsigned i = 0; i < bounds.warmUps; ++i) {
        play.path.clear();
        play.state = ~std::uint64_t{i};
        if (!playOnce(bounds, 2, body, true)) return false;
    }
    play.hash = 0;
    return true;
}

Result failureOf(Result result) {
    result.failure = play.failure;
    result.trace = (play.random ? "random " : "") + traceOf(play.path);
    result.events = eventsOf();
    result.hash = play.hash;
    return result;
}

}  // namespace

bool isRandom() noexcept { return play.random; }

unsigned decide(unsigned options, unsigned rate) {
    if (options < 2) return 0;
    if (play.depth == play.path.size()) {
        unsigned taken = 0;
        if (play.random && nextRandom() % rate == 0)
            taken = static_cast<unsigned>(nextRandom() % options);
        play.path.push_back({taken, options});
    }
    Decision& decision = play.path[play.depth++];
    if (decision.options == 0) decision.options = options;  // from a trace
    if (decision.options != options || decision.taken >= options)
        failed("this execution does not repeat: something other than the decisions differs");
    addToHash(decision.taken * 64 + options);
    return decision.taken;
}

void note(const char* what, Address address, std::uint64_t value) {
    play.events[play.eventCount++ % kEventsKept] = {current->number, what, address, value};
    // Not the address and the value: those outside the arena differ from process to process.
    addToHash(static_cast<unsigned char>(*what) * kMostThreads + current->number);
}

void failed(const std::string& what) {
    const Inside inside;
    play.failure = what + " (thread " + std::to_string(current->number) + ')';
    if (isForkedChild) {
        dprintf(STDERR_FILENO, "%sin a forked child: %s\n", eventsOf().c_str(),
                play.failure.c_str());
        _exit(1);
    }
    leaveThreads();
}

void fail(const std::string& what) { failed(what); }

unsigned choose(unsigned options) {
    const Inside inside;
    return decide(options, 1);
}

void pace(unsigned preemptionOneIn, unsigned staleReadOneIn) {
    currentPace = {preemptionOneIn, staleReadOneIn};
}
void failAllocations(unsigned oneIn) { allocationsFailOneIn = oneIn; }
void failThreadStarts(unsigned oneIn) { threadStartsFailOneIn = oneIn; }

Result search(const Bounds& bounds, const std::function<void()>& body) {
    Result result;
    if (!warmUp(bounds, body)) return failureOf(result);
    play.random = false;
    play.path.clear();
    while (bounds.most != 0 && result.executions < bounds.most && !result.complete) {
        ++result.executions;
        if (!playOnce(bounds, 1, body)) return failureOf(result);
        play.path.resize(play.depth);
        result.complete = !advance();
    }
    play.random = true;
    for (unsigned long i = 0; i < bounds.random && !result.complete; ++i) {
        play.path.clear();
        play.state = result.seed = bounds.seed + i;
        ++result.executions;
        if (!playOnce(bounds, 2, body)) return failureOf(result);
    }
    result.seed = 0;
    result.hash = play.hash;
    return result;
}

Result replay(const Bounds& bounds, const std::function<void()>& body, const std::string& trace) {
    if (!warmUp(bounds, body)) return failureOf({});
    const std::string prefix = "random ";
    const bool wasRandom = trace.compare(0, prefix.size(), prefix) == 0;
    play.random = false;
    play.path = pathOf(wasRandom ? trace.substr(prefix.size()) : trace);
    Result result;
    result.executions = 1;
    if (playOnce(bounds, wasRandom ? 2 : 1, body)) return result;
    play.random = wasRandom;
    return failureOf(result);
}

}  // namespace explore
