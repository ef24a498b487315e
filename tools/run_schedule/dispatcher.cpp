// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "dispatcher.hpp"

#include <algorithm>
#include <csignal>
#include <iterator>
#include <utility>

using std::chrono::milliseconds;

namespace {

constexpr milliseconds kLongestDelay = std::chrono::hours(1);

/// \param attempt the one that has failed
milliseconds delayAfter(int attempt, const Retry& retry) {
    const milliseconds longest = std::max(kLongestDelay, retry.delay);
    milliseconds delay = retry.delay;
    for (int i = 1; i < attempt && delay < longest; ++i) delay *= 2;
    return std::min(delay, longest);
}

}  // namespace

Dispatcher::Outcome Dispatcher::due(const Due& due) {
    const std::shared_ptr<const Entry>& entry = due.entry;
    const auto task = tasks_.try_emplace(entry->name).first;
    Task& state = task->second;
    const bool isBusy = state.current || state.waitingRuns > 0;
    tellOverrun(state);
    if (isBusy && entry->overlap == Overlap::Skip) {
        host_.skipped(due);
        return Outcome::Dropped;
    }
    const bool isReady = !isBusy;
    enqueueRun(state, due);
    if (isBusy && entry->overlap == Overlap::Kill) kill(task);
    if (isReady) becomeReady(task, due.since);
    const std::uint64_t before = state.number;
    startReady();
    if (state.waitingRuns > 0) return Outcome::Waits;
    return state.number != before ? Outcome::Begun : Outcome::Dropped;
}

void Dispatcher::tellOverrun(Task& task) {
    if (!task.current || std::exchange(task.isOverrun, true)) return;
    host_.overrun(*task.current, host_.now() - task.begun);
}

void Dispatcher::enqueueRun(Task& task, const Due& due) {
    const Entry& entry = *due.entry;
    if (task.waitingRuns == 0) {
        task.waiting = due;
        task.waitingRuns = 1;
        return;
    }
    task.waiting.entry = due.entry;
    task.waiting.place = due.place;
    if (entry.kind == Entry::Kind::Rate && entry.overlap == Overlap::Wait) {
        ++task.waitingRuns;
    } else {
        host_.skipped(due);  // the one that waits already stands for both
    }
}

void Dispatcher::update(const std::shared_ptr<const Entry>& entry) {
    const auto task = tasks_.find(entry->name);
    if (task != tasks_.end() && task->second.waitingRuns > 0) task->second.waiting.entry = entry;
}

void Dispatcher::becomeReady(Tasks::iterator task, jtimer::Date since) {
    ready_.emplace(since, arrivals_++, task->first);
}

void Dispatcher::becomeUnready(const std::string& name) {
    for (auto each = ready_.begin(); each != ready_.end();) {
        each = std::get<std::string>(*each) == name ? ready_.erase(each) : std::next(each);
    }
}

/// Ends the run in progress, for the one that waits.
void Dispatcher::kill(Tasks::iterator task) {
    Task& state = task->second;
    if (!state.current || state.killed) return;
    if (!state.commandRuns) {
        end(task, false);
        return;
    }
    state.killed = true;
    host_.signal(task->first, SIGTERM);
    host_.callAfter(grace_, [this, task, number = state.number] {
        if (task->second.commandRuns && task->second.number == number) {
            host_.signal(task->first, SIGKILL);
        }
    });
}

/// Fills the free slots. A command that ends at once calls this again, from below; then the loop
/// here goes on.
void Dispatcher::startReady() {
    if (starting_) return;
    starting_ = true;
    while (running_ < jobs_ && !ready_.empty() && !stopped_) {
        const auto task = tasks_.find(std::get<std::string>(*ready_.begin()));
        ready_.erase(ready_.begin());
        start(task);
    }
    starting_ = false;
}

/// Makes the first run that waits the current one, unless it is too late for all that wait: these
/// are dropped.
/// \returns whether there is one
bool Dispatcher::takeRun(Task& task) {
    while (task.waitingRuns > 0) {
        const Due due = task.waiting;
        const std::chrono::nanoseconds lateness = host_.now() - due.since;
        --task.waitingRuns;
        task.waiting.since += due.entry->period;
        task.waiting.date += due.entry->period;
        if (!due.entry->startWithin || lateness <= *due.entry->startWithin) {
            task.current = Job{due.entry, std::max(lateness, std::chrono::nanoseconds(0)), 1,
                               due.date, due.place};
            task.begun = host_.now();
            task.isOverrun = false;
            return true;
        }
        host_.tooLate(due);
    }
    return false;
}

void Dispatcher::start(Tasks::iterator task) {
    Task& state = task->second;
    if (state.retryWaits) {
        state.retryWaits = false;
        ++state.current->attempt;
    } else if (!takeRun(state)) {
        return;
    }
    ++state.number;
    state.commandRuns = true;
    state.killed = false;
    state.dropped = false;
    ++running_;
    const Job job = *state.current;  // a command that ends at once replaces it
    host_.begun(job);
    host_.launch(job);
}

void Dispatcher::ended(const std::string& name, bool succeeded) {
    const auto task = tasks_.find(name);
    Task& state = task->second;
    state.commandRuns = false;
    --running_;
    const Job& job = *state.current;
    const bool mayRetry = !state.killed && !state.dropped && !stopped_;
    if (!succeeded && mayRetry && job.attempt <= job.entry->retry.times) {
        retryLater(task);
    } else {
        end(task, succeeded);
    }
    startReady();
}

void Dispatcher::retryLater(Tasks::iterator task) {
    const Job& job = *task->second.current;
    host_.callAfter(delayAfter(job.attempt, job.entry->retry),
                    [this, task, number = task->second.number] {
                        Task& state = task->second;
                        if (!state.current || state.commandRuns || state.number != number) return;
                        state.retryWaits = true;
                        becomeReady(task, host_.now());
                        startReady();
                    });
}

/// The run in progress ends, and the next may begin.
void Dispatcher::end(Tasks::iterator task, bool succeeded) {
    Task& state = task->second;
    const Job job = *state.current;
    state.current.reset();
    if (std::exchange(state.retryWaits, false)) becomeUnready(task->first);
    if (state.waitingRuns > 0) becomeReady(task, state.waiting.since);
    host_.ended(job, succeeded);
}

void Dispatcher::drop(const std::string& name) {
    const auto task = tasks_.find(name);
    if (task == tasks_.end()) return;
    Task& state = task->second;
    becomeUnready(name);
    state.waitingRuns = 0;
    state.waiting.entry.reset();
    state.dropped = true;
    if (state.current && !state.commandRuns) end(task, false);
}

void Dispatcher::giveUp() {
    for (auto task = tasks_.begin(); task != tasks_.end(); ++task) {
        if (task->second.current && !task->second.commandRuns) end(task, false);
    }
}

bool Dispatcher::idle() const {
    return std::none_of(tasks_.begin(), tasks_.end(),
                        [](const auto& task) { return task.second.current.has_value(); });
}
