// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// The library calls these. The compiler puts calls of __tsan_... beside each access to memory if
// its flag is -fsanitize=thread; the program is linked without ThreadSanitizer, and so they come
// here. The pthread functions take the place of the system's, also for Boost.Thread.

#include "interleave/engine/engine.hpp"
#include "interleave/engine/locks.hpp"

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <type_traits>

using explore::Address;
using explore::Inside;
using explore::isExplored;

namespace {

Address of(const volatile void* object) noexcept { return reinterpret_cast<Address>(object); }

void plain(const void* address, std::size_t size, bool isWrite) {
    if (!isExplored()) return;
    const Inside inside;
    explore::access(of(address), size, isWrite, false);
}

/// Thread-local atomics, and those that are used while nothing is explored, are left alone.
bool isOurs(const volatile void* object) noexcept {
    return isExplored() && !explore::isThreadLocal(of(object));
}

template <class T>
std::uint64_t bits(T value) noexcept {
    return static_cast<std::make_unsigned_t<T>>(value);
}

template <class T>
T change(volatile T* object, T argument, int order,
         std::uint64_t (*changed)(std::uint64_t, std::uint64_t)) {
    if (!isOurs(object)) {
        const T before = *object;
        *object = static_cast<T>(changed(bits(before), bits(argument)));
        return before;
    }
    const Inside inside;
    return static_cast<T>(
        explore::atomicChange(of(object), sizeof(T), order, changed, bits(argument)));
}

template <class T>
int replace(volatile T* object, T* expected, T value, int order, int orderOfFailure) {
    if (!isOurs(object)) {
        if (*object == *expected) {
            *object = value;
            return 1;
        }
        *expected = *object;
        return 0;
    }
    const Inside inside;
    std::uint64_t wanted = bits(*expected);
    if (explore::atomicReplace(of(object), sizeof(T), wanted, bits(value), order, orderOfFailure))
        return 1;
    *expected = static_cast<T>(wanted);
    return 0;
}

using Two = std::uint64_t;

}  // namespace

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void** address, void* value) {
    if (*address != value) plain(address, sizeof(void*), true);
}
void __tsan_vptr_read(void** address) { plain(address, sizeof(void*), false); }
void __tsan_read_range(void* address, unsigned long size) { plain(address, size, false); }
void __tsan_write_range(void* address, unsigned long size) { plain(address, size, true); }

#define PLAIN(size)                                                                                \
    void __tsan_read##size(void* address) { plain(address, size, false); }                         \
    void __tsan_write##size(void* address) { plain(address, size, true); }                         \
    void __tsan_unaligned_read##size(void* address) { plain(address, size, false); }               \
    void __tsan_unaligned_write##size(void* address) { plain(address, size, true); }               \
    void __tsan_read_write##size(void* address) { plain(address, size, true); }
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

void* __tsan_memcpy(void* to, const void* from, unsigned long size) {
    plain(from, size, false);
    plain(to, size, true);
    return __builtin_memcpy(to, from, size);
}
void* __tsan_memmove(void* to, const void* from, unsigned long size) {
    plain(from, size, false);
    plain(to, size, true);
    return __builtin_memmove(to, from, size);
}
void* __tsan_memset(void* to, int value, unsigned long size) {
    plain(to, size, true);
    return __builtin_memset(to, value, size);
}

#define ATOMIC_CHANGE(n, T, name, expression)                                                      \
    T __tsan_atomic##n##_##name(volatile T* object, T argument, int order) {                       \
        return change<T>(object, argument, order, [](Two a, Two b) -> Two {                        \
            static_cast<void>(a);                                                                  \
            return expression;                                                                     \
        });                                                                                        \
    }
#define ATOMIC(n, T)                                                                               \
    T __tsan_atomic##n##_load(const volatile T* object, int order) {                               \
        if (!isOurs(object)) return *object;                                                       \
        const Inside inside;                                                                       \
        return static_cast<T>(explore::atomicLoad(of(object), sizeof(T), order));                  \
    }                                                                                              \
    void __tsan_atomic##n##_store(volatile T* object, T value, int order) {                        \
        if (!isOurs(object)) {                                                                     \
            *object = value;                                                                       \
            return;                                                                                \
        }                                                                                          \
        const Inside inside;                                                                       \
        explore::atomicStore(of(object), sizeof(T), bits(value), order);                           \
    }                                                                                              \
    ATOMIC_CHANGE(n, T, exchange, b)                                                               \
    ATOMIC_CHANGE(n, T, fetch_add, a + b)                                                          \
    ATOMIC_CHANGE(n, T, fetch_sub, a - b)                                                          \
    ATOMIC_CHANGE(n, T, fetch_and, a& b)                                                           \
    ATOMIC_CHANGE(n, T, fetch_or, a | b)                                                           \
    ATOMIC_CHANGE(n, T, fetch_xor, a ^ b)                                                          \
    int __tsan_atomic##n##_compare_exchange_strong(volatile T* object, T* expected, T value,       \
                                                   int order, int orderOfFailure) {                \
        return replace<T>(object, expected, value, order, orderOfFailure);                         \
    }                                                                                              \
    int __tsan_atomic##n##_compare_exchange_weak(volatile T* object, T* expected, T value,         \
                                                 int order, int orderOfFailure) {                  \
        return replace<T>(object, expected, value, order, orderOfFailure);                         \
    }
ATOMIC(8, std::uint8_t)
ATOMIC(16, std::uint16_t)
ATOMIC(32, std::uint32_t)
ATOMIC(64, std::uint64_t)

void __tsan_atomic_thread_fence(int order) {
    if (!isExplored()) return;
    const Inside inside;
    explore::atomicFence(order);
}
void __tsan_atomic_signal_fence(int) {}

// Locks and conditions.

int pthread_mutex_init(pthread_mutex_t*, const pthread_mutexattr_t*) noexcept { return 0; }
int pthread_mutex_destroy(pthread_mutex_t*) noexcept { return 0; }
int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
    explore::lockMutex(mutex);
    return 0;
}
int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
    return explore::tryLockMutex(mutex) ? 0 : EBUSY;
}
int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
    explore::unlockMutex(mutex);
    return 0;
}

int pthread_cond_init(pthread_cond_t*, const pthread_condattr_t*) noexcept { return 0; }
int pthread_cond_destroy(pthread_cond_t*) noexcept { return 0; }
int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
    explore::waitOn(condition, mutex, false);
    return 0;
}
int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec*) {
    return explore::waitOn(condition, mutex, true) ? ETIMEDOUT : 0;
}
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t,
                           const timespec* time) {
    return pthread_cond_timedwait(condition, mutex, time);
}
int pthread_cond_signal(pthread_cond_t* condition) noexcept {
    explore::notifyOf(condition, false);
    return 0;
}
int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
    explore::notifyOf(condition, true);
    return 0;
}

int __cxa_guard_acquire(std::uint64_t* guard) {
    const auto isDone = [=] { return *reinterpret_cast<const char*>(guard) != 0; };
    if (!isExplored()) return isDone() ? 0 : 1;
    const Inside inside;
    explore::lock(of(guard));
    if (!isDone()) return 1;
    explore::unlock(of(guard));
    return 0;
}
void __cxa_guard_release(std::uint64_t* guard) noexcept {
    if (!isExplored()) {
        *reinterpret_cast<char*>(guard) = 1;
        return;
    }
    const Inside inside;
    explore::atomicStore(of(guard), 1, 1, __ATOMIC_RELEASE);
    explore::unlock(of(guard));
}
void __cxa_guard_abort(std::uint64_t* guard) noexcept {
    if (!isExplored()) return;
    const Inside inside;
    explore::unlock(of(guard));
}

// Threads.

int pthread_create(pthread_t* thread, const pthread_attr_t*, void* (*body)(void*),
                   void* argument) noexcept {
    if (!isExplored()) std::abort();
    const Inside inside;
    explore::point();
    explore::commitDelayed(*explore::current);
    if (explore::threadStartsFailOneIn != 0 && explore::isRandom() &&
        explore::decide(2, explore::threadStartsFailOneIn) != 0)
        return EAGAIN;
    struct Start {
        void* (*body)(void*);
        void* argument;
    };
    auto* const start = static_cast<Start*>(std::malloc(sizeof(Start)));
    *start = {body, argument};
    const auto main = [](void* given) -> void* {
        const Start taken = *static_cast<Start*>(given);
        std::free(given);
        const bool before = std::exchange(Inside::isInside, false);
        void* const result = taken.body(taken.argument);
        Inside::isInside = before;
        return result;
    };
    *thread = explore::startThread(main, start).number + 1;
    return 0;
}
int pthread_join(pthread_t thread, void** result) {
    if (!isExplored()) std::abort();
    const Inside inside;
    explore::Thread& joined = *explore::threads()[thread - 1];
    explore::joinThread(joined);
    if (result != nullptr) *result = joined.result;
    return 0;
}
int pthread_detach(pthread_t) noexcept { return 0; }
pthread_t pthread_self() noexcept { return isExplored() ? explore::current->number + 1 : 0; }
int pthread_setname_np(pthread_t, const char*) noexcept { return 0; }
int sched_yield() noexcept {
    if (isExplored()) explore::yield();
    return 0;
}
int nanosleep(const timespec*, timespec*) { return sched_yield(); }
int clock_nanosleep(clockid_t, int, const timespec*, timespec*) { return sched_yield(); }

// Data of each thread.

namespace {
unsigned keys = 0;
void (*destructors[explore::kKeys])(void*);
void* specificOutside[explore::kKeys];
}  // namespace

int pthread_key_create(pthread_key_t* key, void (*destroy)(void*)) noexcept {
    if (keys == explore::kKeys) return EAGAIN;
    destructors[keys] = destroy;
    *key = keys++;
    return 0;
}
int pthread_key_delete(pthread_key_t) noexcept { return 0; }
void* pthread_getspecific(pthread_key_t key) noexcept {
    return isExplored() ? explore::current->specific[key] : specificOutside[key];
}
int pthread_setspecific(pthread_key_t key, const void* value) noexcept {
    void* const data = const_cast<void*>(value);  // NOLINT
    if (!isExplored()) {
        specificOutside[key] = data;
        return 0;
    }
    const Inside inside;
    if (data != nullptr && explore::current->specific[key] == nullptr &&
        destructors[key] != nullptr)
        explore::current->atEnd.emplace(
            explore::current->atEnd.begin(),
            [](void* slot) {
                auto** const place = static_cast<void**>(slot);
                const auto number = place - explore::current->specific.data();
                if (void* const left = std::exchange(*place, nullptr); left != nullptr)
                    destructors[number](left);
            },
            &explore::current->specific[key]);
    explore::current->specific[key] = data;
    return 0;
}
int __cxa_thread_atexit(void (*destroy)(void*), void* object, void* dso) {
    if (isExplored()) {
        const Inside inside;
        explore::current->atEnd.emplace_back(destroy, object);
        return 0;
    }
    using AtExit = int (*)(void (*)(void*), void*, void*);
    static const auto next = reinterpret_cast<AtExit>(dlsym(RTLD_NEXT, "__cxa_thread_atexit"));
    return next(destroy, object, dso);
}

/// Exceptions come from malloc.
void* __cxa_allocate_exception(std::size_t size) noexcept {
    const Inside inside;
    using Allocate = void* (*)(std::size_t);
    static const auto next =
        reinterpret_cast<Allocate>(dlsym(RTLD_NEXT, "__cxa_allocate_exception"));
    void* const memory = next(size);
    explore::allocatedOutside(of(memory), size);
    return memory;
}

/// The one system call that is explored.
long syscall(long number, ...) noexcept {
    if (number != SYS_membarrier) {
        errno = ENOSYS;
        return -1;
    }
    if (isExplored()) {
        const Inside inside;
        explore::point();
        explore::barrierEverywhere();
    }
    return 0;
}

}  // extern "C"
