// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "sync/thread_end.hpp"

#include "sync/assert.hpp"

#include <jtimer/detail/own_thread_end.hpp>

namespace jtimer::detail {

namespace {

/// What the calling thread has asked for. No part of it has a destructor: see OwnThreadEnd.
struct This {
    ThreadEnd::Call* lastAwaited;
    bool isOwn;
    bool hasEnded;

    void end() noexcept {
        hasEnded = true;
        while (lastAwaited != nullptr) {
            const ThreadEnd::Call& call = *lastAwaited;
            lastAwaited = call.next;
            call.function();
        }
    }
};
thread_local This thisThread{};

/// For a thread that is not the library's own.
void awaitDestructors() noexcept {
    struct AtEnd {
        ~AtEnd() { thisThread.end(); }
    };
    static thread_local const AtEnd registered;
    static_cast<void>(&registered);  // the first time
}

}  // namespace

void ThreadEnd::await(Call& call) noexcept {
    JTIMER_ASSERT(!hasCome());
    if (call.isAwaited) return;
    call.isAwaited = true;
    call.next = thisThread.lastAwaited;
    thisThread.lastAwaited = &call;
    if (!thisThread.isOwn) awaitDestructors();
}

bool ThreadEnd::hasCome() noexcept {
#if defined(_WIN32)
    if (!thisThread.isOwn) return true;
#endif
    return thisThread.hasEnded;
}

OwnThreadEnd::OwnThreadEnd() noexcept { thisThread.isOwn = true; }

OwnThreadEnd::~OwnThreadEnd() { thisThread.end(); }

}  // namespace jtimer::detail
