// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "stage.hpp"

#include <boost/chrono/duration.hpp>

#include <array>
#include <atomic>
#include <pthread.h>

namespace oracle {

namespace {

/// Tells the stage when the timer's thread ends.
struct Presence {
    Stage* stage = nullptr;
    PlayedTimer* timer = nullptr;
    ~Presence() {
        if (timer == nullptr) return;
        const boost::unique_lock<boost::mutex> lock(stage->mutex);
        timer->ended = true;
        stage->changed.notify_all();
    }
};

thread_local Presence presence;

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

PlayedTimer* currentTimer() { return presence.timer; }

PlayedTimer*& voice() {
    thread_local PlayedTimer* voice = nullptr;
    return voice;
}

void enterThreadOf(Stage& stage, PlayedTimer& timer) {
    presence.stage = &stage;
    presence.timer = &timer;
    voice() = &timer;
    const boost::unique_lock<boost::mutex> lock(stage.mutex);
    timer.started = true;
    stage.changed.notify_all();
}

std::string nameOfThisThread(const PlayedTimer& timer) {
    constexpr std::size_t kept = 15;  // bytes, on Linux (C9)
    std::array<char, 64> buffer{};
    pthread_getname_np(pthread_self(), buffer.data(), buffer.size());
    const std::string name = buffer.data();
    return name == timer.timer->name().substr(0, kept) ? timer.shownName : name;
}

}  // namespace oracle
