// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "thread/loop_thread.hpp"

#include <memory>
#include <utility>

namespace jtimer::detail {

LoopThread::Settings LoopThread::Settings::of(std::string name, UncaughtExceptionHandler handler,
                                              std::shared_ptr<Clock> clock,
                                              const std::shared_ptr<Clock>& (*makeDefault)()) {
    Settings settings;
    settings.reporter = std::make_shared<Reporter>(std::move(name), std::move(handler));
    settings.clock = std::move(clock);
    if (settings.clock == nullptr) settings.clock = makeDefault();
    return settings;
}

LoopThread::LoopThread(Settings settings)
    : reporter_(std::move(settings.reporter)),
      monitor_(settings.startsLater ? Monitor(std::move(settings.clock), Monitor::WithoutThread{})
                                    : Monitor(std::move(settings.clock), settings.timerSlack)) {}

void LoopThread::start(std::shared_ptr<const void> keptAlive) {
    thread_.start(name(), [this, owner = std::move(keptAlive)] { run(); });
}

void LoopThread::run() {
    struct AtEnd {
        LoopThread& thread;
        ~AtEnd() {
            if (thread.isForkedChild()) return;
            thread.end();
            thread.monitor_.end();
        }
    };
    forkWatch_ = {};
    monitor_.begin();
    const AtEnd atEnd{*this};
    const std::exception_ptr uncaught = exceptionOf([this] { mainLoop(); });
    if (uncaught != nullptr) failed(uncaught);
}

void LoopThread::failed(const std::exception_ptr& uncaught) {
    if (!isForkedChild()) end();
    report(uncaught);
}

}  // namespace jtimer::detail
