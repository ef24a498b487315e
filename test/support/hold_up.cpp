// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Holds threads up at random, for `make check-shaken`, which has the compiler call the function
// below at each branch of the library and of the tests. A thread loses its processor at any place,
// the kernel says; but for a given place it does so rarely, and a test that counts on the opposite
// passes a thousand times.
//
// HOLD_UP_SEED starts the random numbers. The same ones need not have the same outcome twice. They
// are made here: a template of <random> may be linked as another file has compiled it, with calls
// of this very function.
#if defined(__linux__)

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

std::uint64_t firstOf(std::uint64_t thread) noexcept {
    const char* const seed = std::getenv("HOLD_UP_SEED");
    const std::uint64_t number = seed != nullptr ? std::strtoull(seed, nullptr, 10) : 0;
    return (number + 1) * 0x9E3779B97F4A7C15U ^ (thread + 1) * 0xD1B54A32D192ED03U;
}

/// The calling thread's next random number, by xorshift64. \returns less than `limit`
std::uint64_t randomBelow(std::uint64_t limit) noexcept {
    thread_local std::uint64_t state = 0;
    if (state == 0) state = firstOf(static_cast<std::uint64_t>(syscall(SYS_gettid)));
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 24) % limit;
}

// System calls of their own, since the functions of the C library may end a cancelled thread.
void sleepBelow(std::uint64_t nanos) noexcept {
    const timespec time{0, static_cast<long>(randomBelow(nanos))};
    syscall(SYS_nanosleep, &time, nullptr);
}

void holdUp() noexcept {
    switch (randomBelow(16)) {
    case 0:
    case 1:
        sleepBelow(500'000);
        break;
    case 2:
    case 3:
    case 4:
    case 5:
    case 6:
        sleepBelow(40'000);
        break;
    default:
        syscall(SYS_sched_yield);
    }
}

/// How many branches a thread takes undisturbed: mostly few, so that it falls behind the others,
/// and now and then many, so that it is far ahead.
std::uint64_t nextCalm() noexcept {
    constexpr std::uint64_t few = 100;
    switch (randomBelow(8)) {
    case 0:
        return randomBelow(50 * few);
    case 1:
    case 2:
        return randomBelow(6 * few);
    default:
        return randomBelow(few);
    }
}

thread_local std::uint64_t calm = 0;

}  // namespace

extern "C" void __sanitizer_cov_trace_pc();  // by this name the compiler calls it

void __sanitizer_cov_trace_pc() {
    if (calm-- != 0) return;
    holdUp();
    calm = nextCalm();
}

#endif
