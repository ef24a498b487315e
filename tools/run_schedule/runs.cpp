// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "runs.hpp"

#include "trace.hpp"

#include <jtimer/clock.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <system_error>
#include <utility>

SchedulePlayer::Actions Runs::actions(std::function<void()> stop,
                                      std::function<void(std::exception_ptr)> fail) {
    SchedulePlayer::Actions actions;
    actions.launch = [this, fail = std::move(fail)](const Job& job,
                                                    const SchedulePlayer::Done& done) {
        launch(job, done, fail);
    };
    actions.signal = [this](const std::string& name, int signal) { commands_.end(name, signal); };
    actions.tell = [this](const Event& event) { tell(event); };
    actions.notify = [this](Level level, const std::string& text) { report_.notice(level, text); };
    actions.failed = [this, stop = std::move(stop),
                      stops = std::make_shared<std::atomic<bool>>(false)](const Job& job) {
        if (!options_.onFailure.empty()) runHook(job);
        if (options_.stopOnFailure && !stops->exchange(true)) stop();
    };
    actions.recall = [this](const Entry& entry) {
        return state_ ? state_->recall(entry) : std::nullopt;
    };
    return actions;
}

void Runs::openState(const std::vector<Entry>& entries) {
    if (options_.state.empty()) return;
    state_.emplace(options_.state, entries, jtimer::WallClock().now(),
                   [this](const std::string& text) { report_.notice(Level::Error, text); });
}

void Runs::update(const std::vector<Entry>& entries) {
    if (state_) state_->update(entries, jtimer::WallClock().now());
}

/// \param failure on return, why not
/// \returns whether a thread has been started
template <class Run>
bool Runs::start(const Run& run, std::string& failure) {
    const auto hasEnded = [](const std::future<void>& each) {
        return each.wait_for(std::chrono::milliseconds(0)) == std::future_status::ready;
    };
    const std::lock_guard lock(mutex_);
    threads_.erase(std::remove_if(threads_.begin(), threads_.end(), hasEnded), threads_.end());
    try {
        threads_.push_back(std::async(std::launch::async, run));
        return true;
    } catch (const std::system_error& e) {
        failure = std::string("no thread can be started: ") + e.what();
        return false;
    }
}

void Runs::launch(const Job& job, const SchedulePlayer::Done& done,
                  const std::function<void(std::exception_ptr)>& fail) {
    const auto run = [this, job, done, fail] {
        try {
            if (state_ && job.attempt == 1) state_->begin(*job.entry, jtimer::WallClock().now());
            done(commands_.run(job));
        } catch (...) {
            fail(std::current_exception());
        }
    };
    Event event = eventOf(Event::Kind::Failed, job, jtimer::WallClock().now());
    if (start(run, event.reason)) return;
    event.exitStatus = kNotStarted;
    tell(event);
    done(false);
}

/// After a run has failed, with all its retries.
void Runs::runHook(const Job& job) {
    const auto complain = [this, name = job.entry->name](const std::string& failure) {
        report_.notice(Level::Warning, "--on-failure of " + name + ": " + failure);
    };
    const auto run = [this, job, complain] {
        const std::string failure = commands_.runHook(options_.onFailure, job);
        if (!failure.empty()) complain(failure);
    };
    std::string failure;
    if (!start(run, failure)) complain(failure);
}

void Runs::tell(const Event& event) {
    report_.event(event);
    if (trace_ != nullptr && event.kind == Event::Kind::Skipped)
        trace_->skipped(event.task, jtimer::SteadyClock().now());
}
