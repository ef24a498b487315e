// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "base/detach_at_thread_end.hpp"

#include <memory>
#include <pthread.h>
#include <system_error>
#include <utility>

namespace jtimer::detail {

namespace {

struct Keeper {
    boost::thread thread;
    bool firstRound = true;
};

extern "C" void letGo(void* keeper);

pthread_key_t keeperKey() {
    static const pthread_key_t key = [] {
        pthread_key_t created{};
        const int error = pthread_key_create(&created, letGo);
        if (error != 0)
            throw std::system_error(error, std::generic_category(), "pthread_key_create");
        return created;
    }();
    return key;
}

/// At the end of a thread the values of all keys are destroyed, in no particular order; then once
/// more those that have been set again meanwhile. In that second round Boost.Thread's value is
/// gone.
extern "C" void letGo(void* value) {
    std::unique_ptr<Keeper> keeper(static_cast<Keeper*>(value));
    if (std::exchange(keeper->firstRound, false)) {
        pthread_setspecific(keeperKey(), keeper.release());
    } else {
        keeper->thread.detach();
    }
}

}  // namespace

void detachAtThreadEnd(boost::thread thread) {
    auto keeper = std::make_unique<Keeper>();
    keeper->thread = std::move(thread);
    const int error = pthread_setspecific(keeperKey(), keeper.get());
    if (error != 0) throw std::system_error(error, std::generic_category(), "pthread_setspecific");
    static_cast<void>(keeper.release());  // the key owns it now
}

}  // namespace jtimer::detail
