// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "stage.hpp"

#include "support/system_threads.hpp"
#include "support/thread_state.hpp"

#include <boost/chrono/duration.hpp>

#include <atomic>

namespace oracle {

namespace {

thread_local PlayedTimer* timerOfThisThread = nullptr;

}  // namespace

bool Stage::await(const std::function<bool()>& condition) {
    // Once it is clear that the library is broken, no more time is lost on each scenario.
    static std::atomic<int> inVain{0};
    boost::unique_lock<boost::mutex> lock(mutex);
    const boost::chrono::milliseconds patience(inVain < 3 ? 10'000 : 300);
    if (changed.wait_for(lock, patience, condition)) return true;
    ++inVain;
    return false;
}

void Stage::say(const std::string& line) {
    PlayedTimer* const timer = voice();
    const boost::unique_lock<boost::mutex> lock(mutex);
    if (timer == nullptr) {
        lines.push_back(line);
    } else {
        timer->lines.push_back('[' + timer->name + "] " + line);
    }
}

void Stage::show(PlayedTimer& timer) {
    const boost::unique_lock<boost::mutex> lock(mutex);
    lines.insert(lines.end(), timer.lines.begin(), timer.lines.end());
    timer.lines.clear();
}

PlayedTimer* Stage::findTimer(const std::string& name) {
    const boost::unique_lock<boost::mutex> lock(mutex);
    const auto found = timers.find(name);
    return found == timers.end() ? nullptr : found->second.get();
}

std::shared_ptr<PlayedTask> Stage::findTask(const std::string& name) {
    const auto found = tasks.find(name);
    return found == tasks.end() ? nullptr : found->second;
}

PlayedTimer* currentTimer() { return timerOfThisThread; }

PlayedTimer*& voice() {
    thread_local PlayedTimer* voice = nullptr;
    return voice;
}

void enterThreadOf(Stage& stage, PlayedTimer& timer) {
    timerOfThisThread = &timer;
    voice() = &timer;
    test::atThreadEnd([&] {
        const boost::unique_lock<boost::mutex> ending(stage.mutex);
        timer.ended = true;
        stage.changed.notify_all();
    });
    const boost::unique_lock<boost::mutex> lock(stage.mutex);
    timer.started = true;
    stage.changed.notify_all();
}

std::string nameOfThisThread(const PlayedTimer& timer) {
    constexpr std::size_t kept = 15;  // bytes, on Linux (C9)
    const std::string name = test::currentThreadName();
    return name == timer.timer->name().substr(0, kept) ? timer.shownName : name;
}

}  // namespace oracle
