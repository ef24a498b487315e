// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A forked child is a process of its own, in which the other coroutines are never continued: so
// what they hold is held for ever, as in any child of a process with threads. It plays on with the
// parent's decisions and a copy of all that the engine knows.

#include "interleave/engine/engine.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <functional>
#include <pthread.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace explore {

bool isForkedChild = false;

namespace {

struct Handlers {
    void (*before)();
    void (*inParent)();
    void (*inChild)();
};
/// Registered before main(), also before the initializers of this file.
std::array<Handlers, 4> handlers;
unsigned handlersUsed = 0;

void callEach(void (*Handlers::*handler)()) {
    for (unsigned i = 0; i < handlersUsed; ++i)
        if (handlers[i].*handler != nullptr) (handlers[i].*handler)();
}

/// What goes wrong in the child ends it, and nothing of the test program's.
void beginChild() {
    isForkedChild = true;
    for (const int number : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL})
        std::signal(number, SIG_DFL);
    alarm(60);
    forgetOtherThreads();
}

}  // namespace

void inForkedChild(const std::function<void()>& body) {
    for (unsigned i = handlersUsed; i-- != 0;)
        if (handlers[i].before != nullptr) handlers[i].before();
    const pid_t child = fork();
    if (child < 0) fail("fork() has failed");
    if (child == 0) {
        beginChild();
        callEach(&Handlers::inChild);
        try {
            body();
        } catch (...) {
            fail("an exception in a forked child");
        }
        _exit(0);
    }
    callEach(&Handlers::inParent);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) fail("a forked child: signal " + std::to_string(WTERMSIG(status)));
    check(status == 0, "a forked child has failed: see above");
}

}  // namespace explore

/// Instead of the system's: fork() would call them before inForkedChild() could.
extern "C" int pthread_atfork(void (*before)(), void (*inParent)(), void (*inChild)()) {
    using explore::handlers;
    if (explore::handlersUsed == handlers.size()) return ENOMEM;
    handlers[explore::handlersUsed++] = {before, inParent, inChild};
    return 0;
}
