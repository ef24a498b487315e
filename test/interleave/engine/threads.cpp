// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "interleave/engine/engine.hpp"
#include "interleave/engine/locks.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <exception>
#include <link.h>
#include <memory>
#include <sstream>
#include <sys/mman.h>

namespace explore {

Thread* current = nullptr;

namespace {

struct Lock {
    int owner = -1;
    Clock released;
    void reset() noexcept { *this = {}; }
};

constexpr std::size_t kStack = 256 * 1024;
constexpr std::uint64_t kMostSteps = 200'000;

std::vector<std::unique_ptr<Thread>> pool;
std::vector<Thread*> all;
Table<Lock> locks;
std::uint64_t steps = 0;
std::uint64_t waits = 0;

std::jmp_buf outside;
std::vector<unsigned char> threadLocalsOutside;
std::array<unsigned char, 16> exceptionsOutside;

/// The program's own thread-local data, which the coroutines would share.
struct ThreadLocals {
    unsigned char* begin = nullptr;
    std::size_t size = 0;
    const unsigned char* image = nullptr;
    std::size_t imageSize = 0;

    ThreadLocals() {
        dl_iterate_phdr(
            [](dl_phdr_info* info, std::size_t, void* self) {
                auto& found = *static_cast<ThreadLocals*>(self);
                for (int i = 0; i < info->dlpi_phnum; ++i) {
                    const auto& header = info->dlpi_phdr[i];
                    if (header.p_type != PT_TLS) continue;
                    found.begin = static_cast<unsigned char*>(info->dlpi_tls_data);
                    found.size = header.p_memsz;
                    found.image =
                        reinterpret_cast<const unsigned char*>(info->dlpi_addr + header.p_vaddr);
                    found.imageSize = header.p_filesz;
                }
                return 1;  // the program itself comes first
            },
            this);
    }
    std::vector<unsigned char> fresh() const {
        std::vector<unsigned char> data(size);
        std::copy(image, image + imageSize, data.begin());
        return data;
    }
};

const ThreadLocals& threadLocals() {
    static const ThreadLocals found;
    return found;
}

void save(std::vector<unsigned char>& locals, std::array<unsigned char, 16>& exceptions) {
    locals.assign(threadLocals().begin, threadLocals().begin + threadLocals().size);
    std::memcpy(exceptions.data(), static_cast<void*>(abi::__cxa_get_globals()), exceptions.size());
}
void restore(const std::vector<unsigned char>& locals,
             const std::array<unsigned char, 16>& exceptions) {
    std::copy(locals.begin(), locals.end(), threadLocals().begin);
    std::memcpy(static_cast<void*>(abi::__cxa_get_globals()), exceptions.data(), exceptions.size());
}

void switchTo(Thread& next) {
    Thread& self = *current;
    if (&next == &self) return;
    save(self.threadLocals, self.exceptions);
    current = &next;
    restore(next.threadLocals, next.exceptions);
    if (_setjmp(self.context) != 0) return;
    if (next.isStarted) _longjmp(next.context, 1);
    next.isStarted = true;
    setcontext(&next.start);
}

bool canRun(const Thread& thread) noexcept {
    return !thread.isFinished && thread.waitsFor == nullptr;
}
bool canTimeOut(const Thread& thread) noexcept {
    return thread.waitsFor != nullptr && thread.isTimed;
}

/// Some of the threads.
struct Some {
    std::array<Thread*, kMostThreads> threads;
    unsigned count = 0;

    template <class Condition>
    void addThose(const Condition& holds) {
        for (Thread* each : all)
            if (holds(*each)) threads[count++] = each;
    }
};

Some others() {
    Some found;
    found.addThose([](const Thread& each) { return &each != current && canRun(each); });
    return found;
}

/// What a thread that cannot continue waits for.
std::string waitOf(const Thread& thread) {
    std::ostringstream text;
    text << "\n  thread " << thread.number << " waits ";
    const auto joined = std::find(all.begin(), all.end(), thread.waitsFor);
    const Lock* const lock = locks.find(reinterpret_cast<Address>(thread.waitsFor));
    if (joined != all.end()) {
        text << "for the end of thread " << (*joined)->number;
    } else if (lock != nullptr && lock->owner >= 0) {
        text << "for the mutex " << thread.waitsFor << ", which thread " << lock->owner << " holds";
    } else {
        text << "to be notified of " << thread.waitsFor;
    }
    return text.str();
}

std::string waitsOfAll() {
    std::string text;
    for (const Thread* each : all)
        if (!each->isFinished) text += waitOf(*each);
    return text;
}

void resume(Thread& thread) {
    if (canTimeOut(thread)) {
        thread.waitsFor = nullptr;
        thread.hasTimedOut = true;
    }
    switchTo(thread);
}

/// Continues with another thread, as the current one cannot or should not.
void runAnother() {
    Some found = others();
    if (found.count == 0 && canRun(*current)) return;
    if (found.count == 0) found.addThose(canTimeOut);
    if (found.count == 0) failed("deadlock: no thread can continue" + waitsOfAll());
    resume(*found.threads[decide(found.count, 1)]);
}

void endOfThread(Thread& self) {
    while (!self.atEnd.empty()) {
        const auto [destroy, object] = self.atEnd.back();
        self.atEnd.pop_back();
        const bool before = std::exchange(Inside::isInside, false);
        destroy(object);
        Inside::isInside = before;
    }
}

/// What a coroutine executes.
void threadMain() {
    Thread& self = *current;
    self.result = self.body(self.argument);
    endOfThread(self);
    point();
    commitDelayed(self);
    self.isFinished = true;
    tick();
    wakeAll(&self);
    const bool isLast =
        std::all_of(all.begin(), all.end(), [](Thread* each) { return each->isFinished; });
    if (isLast) _longjmp(outside, 1);
    runAnother();
    std::abort();  // a thread that has ended is not continued
}

}  // namespace

std::vector<Thread*>& threads() noexcept { return all; }

/// Where a thread's stack should be: at the same address in each process.
void* stackOf(std::size_t number) noexcept {
    return reinterpret_cast<void*>(std::uintptr_t{0x110000000000} + number * 2 * kStack);
}

bool isThreadLocal(Address address) noexcept {
    const auto begin = reinterpret_cast<Address>(threadLocals().begin);
    return address >= begin && address < begin + threadLocals().size;
}

void beginThreads() {
    all.clear();
    locks.clear();
    steps = waits = 0;
}

Thread& startThread(void* (*body)(void*), void* argument) {
    const std::size_t number = all.size();
    if (number == kMostThreads) failed("too many threads: see kMostThreads");
    if (number == pool.size()) {
        pool.push_back(std::make_unique<Thread>());
        pool.back()->start.uc_stack.ss_sp = mmap(stackOf(number), kStack, PROT_READ | PROT_WRITE,
                                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pool.back()->start.uc_stack.ss_sp == MAP_FAILED) std::abort();
    }
    Thread& thread = *pool[number];
    void* const stack = thread.start.uc_stack.ss_sp;
    thread = Thread{};
    thread.number = static_cast<unsigned>(number);
    thread.body = body;
    thread.argument = argument;
    thread.threadLocals = threadLocals().fresh();
    getcontext(&thread.start);
    thread.start.uc_stack.ss_sp = stack;
    thread.start.uc_stack.ss_size = kStack;
    thread.start.uc_link = nullptr;
    makecontext(&thread.start, threadMain, 0);
    if (current != nullptr) {
        thread.seen = current->seen;
        tick();
    }
    thread.seen.at[number] = 1;
    all.push_back(&thread);
    return thread;
}

bool runThreads(void* (*body)(void*), void* argument) {
    save(threadLocalsOutside, exceptionsOutside);
    current = nullptr;
    Thread& first = startThread(body, argument);
    current = &first;
    restore(first.threadLocals, first.exceptions);
    const int ended = _setjmp(outside);
    if (ended == 0) {
        first.isStarted = true;
        setcontext(&first.start);
    }
    restore(threadLocalsOutside, exceptionsOutside);
    return ended == 1;
}

/// The coroutines are abandoned: nothing is destroyed.
void leaveThreads() { _longjmp(outside, 2); }

void joinThread(Thread& thread) {
    point();
    commitDelayed(*current);
    while (!thread.isFinished) block(&thread, false);
    current->seen.join(thread.seen);
}

void forgetOtherThreads() noexcept {
    static const char never = 0;
    for (Thread* each : all) {
        if (each == current) continue;
        each->waitsFor = &never;
        each->isTimed = false;
        current->seen.join(each->seen);  // the child has a copy of the memory, as it was
    }
}

/// Before each operation that others can see: perhaps another thread comes first.
void point() {
    if (++steps > kMostSteps) failed("no end: does a thread wait in a loop without yield()?");
    if (budget.preemptions == 0) return;
    Some found = others();
    found.addThose(canTimeOut);
    if (found.count == 0) return;
    const unsigned taken = decide(found.count + 1, currentPace.preemption);
    if (taken == 0) return;
    --budget.preemptions;
    resume(*found.threads[taken - 1]);
}

void yield() {
    const Inside inside;
    if (++steps > kMostSteps) failed("no end: a thread waits for what never comes");
    commitDelayed(*current);
    runAnother();
}

void block(const void* on, bool isTimed) {
    current->waitsFor = on;
    current->isTimed = isTimed;
    current->hasTimedOut = false;
    current->since = ++waits;
    runAnother();
}

void wakeAll(const void* on) {
    for (Thread* each : all)
        if (each->waitsFor == on) each->waitsFor = nullptr;
}

void tick() noexcept { ++current->seen.at[current->number]; }

bool tryLock(Address mutex) {
    point();
    commitDelayed(*current);
    access(mutex, 1, false, true);
    Lock& lock = locks.at(mutex);
    note("tries to lock", mutex, static_cast<std::uint64_t>(lock.owner));
    if (lock.owner >= 0) return false;
    lock.owner = static_cast<int>(current->number);
    ++current->locksHeld;
    current->seen.join(lock.released);
    return true;
}

void lock(Address mutex) {
    while (!tryLock(mutex)) block(reinterpret_cast<void*>(mutex), false);
}

void unlock(Address mutex) {
    point();
    commitDelayed(*current);
    note("unlocks", mutex, 0);
    Lock& lock = locks.at(mutex);
    if (lock.owner != static_cast<int>(current->number)) failed("unlocks what another has locked");
    lock.owner = -1;
    --current->locksHeld;
    lock.released = current->seen;
    tick();
    wakeAll(reinterpret_cast<void*>(mutex));
}

bool wait(Address condition, Address mutex, bool isTimed) {
    unlock(mutex);
    note("waits", condition, 0);
    block(reinterpret_cast<void*>(condition), isTimed);
    const bool hasTimedOut = current->hasTimedOut;
    lock(mutex);
    return hasTimedOut;
}

void notify(Address condition, bool isForAll) {
    point();
    commitDelayed(*current);
    access(condition, 1, false, true);
    note("notifies", condition, 0);
    if (isForAll) return wakeAll(reinterpret_cast<void*>(condition));
    Thread* first = nullptr;
    for (Thread* each : all) {
        if (each->waitsFor != reinterpret_cast<void*>(condition)) continue;
        if (first == nullptr || each->since < first->since) first = each;
    }
    if (first != nullptr) first->waitsFor = nullptr;
}

void lockMutex(const void* mutex) {
    if (!isExplored()) return;
    const Inside inside;
    lock(reinterpret_cast<Address>(mutex));
}

bool tryLockMutex(const void* mutex) {
    if (!isExplored()) return true;
    const Inside inside;
    return tryLock(reinterpret_cast<Address>(mutex));
}

void unlockMutex(const void* mutex) {
    if (!isExplored()) return;
    const Inside inside;
    unlock(reinterpret_cast<Address>(mutex));
}

bool waitOn(const void* condition, const void* mutex, bool isTimed) {
    if (!isExplored()) {
        if (isTimed) return true;
        std::abort();  // for ever
    }
    const Inside inside;
    return wait(reinterpret_cast<Address>(condition), reinterpret_cast<Address>(mutex), isTimed);
}

void notifyOf(const void* condition, bool isForAll) {
    if (!isExplored()) return;
    const Inside inside;
    notify(reinterpret_cast<Address>(condition), isForAll);
}

void together(std::initializer_list<std::function<void()>> bodies) {
    const Inside inside;
    together(std::vector<std::function<void()>>(bodies));
}

void joinAll() {
    const Inside inside;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i] != current) joinThread(*all[i]);
}

unsigned numberOfThisThread() noexcept { return isExplored() ? current->number : 0; }

bool holdsLock() { return current->locksHeld != 0; }

void together(const std::vector<std::function<void()>>& bodies) {
    const Inside inside;
    std::vector<Thread*> started;
    for (const auto& each : bodies) {
        started.push_back(&startThread(
            [](void* body) -> void* {
                const bool before = std::exchange(Inside::isInside, false);
                (*static_cast<const std::function<void()>*>(body))();
                Inside::isInside = before;
                return nullptr;
            },
            const_cast<void*>(static_cast<const void*>(&each))));  // NOLINT
    }
    for (Thread* each : started) joinThread(*each);
}

}  // namespace explore
