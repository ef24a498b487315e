// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "thread/loop_thread.hpp"

#include <jtimer/exceptions.hpp>

#include <exception>
#include <future>
#include <memory>
#include <string>
#include <utility>

namespace jtimer::detail {

LoopThread::Settings LoopThread::Settings::of(const char* room, std::string name,
                                              UncaughtExceptionHandler handler,
                                              std::shared_ptr<Clock> clock,
                                              const std::shared_ptr<Clock>& (*makeDefault)()) {
    Settings settings;
    settings.reporter = std::make_shared<Reporter>(room, std::move(name), std::move(handler));
    settings.clock = std::move(clock);
    if (settings.clock == nullptr) settings.clock = makeDefault();
    return settings;
}

LoopThread::LoopThread(Settings settings)
    : reporter_(std::move(settings.reporter)),
      monitor_(settings.startsLater ? Monitor(std::move(settings.clock), Monitor::WithoutThread{})
                                    : Monitor(std::move(settings.clock), settings.timerSlack)),
      onThreadStart_(std::move(settings.onThreadStart)), optionsType_(settings.optionsType) {}

void LoopThread::start(std::shared_ptr<const void> keptAlive) {
    const std::exception_ptr thrown = tryToStart(std::move(keptAlive));
    if (thrown != nullptr) std::rethrow_exception(thrown);
}

std::exception_ptr LoopThread::tryToStart(std::shared_ptr<const void> keptAlive) {
    std::future<std::exception_ptr> answer;
    if (onThreadStart_) answer = started_.emplace().get_future();
    monitor_.ownedBy(std::shared_ptr<WaiterOwner>(keptAlive, this));
    thread_.start(name(), [this, owner = std::move(keptAlive)] { run(); });
    if (!onThreadStart_) return nullptr;
    std::exception_ptr thrown;
    try {
        thrown = answer.get();
    } catch (const std::future_error&) {  // the promise is broken
        thrown = std::make_exception_ptr(
            IllegalStateException(std::string(optionsType_) + "::onThreadStart ended the thread."));
    }
    if (thrown != nullptr) thread_.finishStart();
    return thrown;
}

/// \returns whether the thread goes on
bool LoopThread::callOnThreadStart() {
    if (!onThreadStart_) return true;
    // If pthread_exit unwinds this function, the promise is broken, which tryToStart() is told.
    std::promise<std::exception_ptr> answer = std::move(*started_);
    const std::exception_ptr thrown = exceptionOf(onThreadStart_);
    answer.set_value(thrown);
    return thrown == nullptr && !isForkedChild();
}

void LoopThread::run() {
    struct AtEnd {
        LoopThread& thread;
        bool hasStarted = false;
        ~AtEnd() {
            if (thread.isForkedChild()) return;
            if (hasStarted) thread.end();
            thread.monitor_.end();
        }
    };
    const OnThreadOf here(title());
    forkWatch_ = {};
    monitor_.begin();
    AtEnd atEnd{*this};
    atEnd.hasStarted = callOnThreadStart();
    if (!atEnd.hasStarted) return;
    const std::exception_ptr uncaught = exceptionOf([this] { mainLoop(); });
    if (uncaught != nullptr) failed(uncaught);
}

void LoopThread::finish(const char* call, bool onExecutor) {
    RunReport report(title(), call, onExecutor);
    thread_.finish(report);
}

void LoopThread::failed(const std::exception_ptr& uncaught) {
    if (!isForkedChild()) end();
    report(uncaught);
}

}  // namespace jtimer::detail
