// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "session.hpp"

#include "calendar/local_time.hpp"
#include "cluster.hpp"
#include "commands.hpp"
#include "ledger.hpp"
#include "local_zone.hpp"
#include "metrics.hpp"
#include "pages.hpp"
#include "player.hpp"
#include "report.hpp"
#include "schedule_file.hpp"
#include "signals.hpp"
#include "state_file.hpp"
#include "time_text.hpp"
#include "trace.hpp"
#include "watch.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <future>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <unistd.h>

using jtimer::Date;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

/// How often the table of --watch is drawn again, and the file of --metrics is written again.
constexpr milliseconds kDrawing(200);
constexpr milliseconds kWriting(1000);

/// How often the start and the end of a schedule in a cluster look at the clock; after which time
/// the end says that it waits for the database; and what it has to record the last runs.
constexpr milliseconds kPolling(50);
constexpr milliseconds kPatience(500);
constexpr milliseconds kEnding(1000);

constexpr auto kNever = steady_clock::time_point::max();

steady_clock::time_point after(std::optional<milliseconds> duration) {
    return duration ? steady_clock::now() + *duration : kNever;
}

/// A schedule that is being played, on the main thread.
class Session {
  public:
    Session(const Options& options, Output& output)
        : options_(options), printer_(output),
          watches_(options.watch && Watch::isPossible(STDOUT_FILENO)),
          watch_(output, STDOUT_FILENO), signals_(options.reload),
          trace_(makeTrace(options.trace, clocks_.steady->now())),
          commands_(
              ledger_, [this](auto&&... line) { print(line...); }, trace_.get(), options_.node,
              options_.grace, options_.isRaw, options_.verbose),
          player_(makePlayer()) {}

    Result run(Schedule schedule) {
        versions_ = std::move(schedule.versions);
        std::vector<Entry> entries = std::move(schedule.entries);
        if (!options_.state.empty()) state_.emplace(options_.state, entries, clocks_.wall->now());
        const steady_clock::time_point deadline = after(options_.runFor);
        widen(entries);
        if (options_.verbose) {
            say(std::to_string(entries.size()) + (entries.size() == 1 ? " task" : " tasks") +
                "; the local zone is " + describeLocalZone());
        }
        for (const Entry& entry : entries) ledger_.add(entry.name);
        tasks_ = entries.size();
        listen();
        if (!writeMetrics()) throw std::invalid_argument(metrics_.failure());
        if (options_.cluster.empty()) {
            player_->start(std::move(entries), [this] { signals_.wakeMain(); });
        } else if (!startUnlessEnded(std::move(entries), deadline)) {
            return abandoned(report());
        }
        const Signals::Reason reason = waitForEnd(deadline);
        player_->cancel();
        server_.reset();
        drawNotices();
        if (watches_) watch_.clear();
        if (reason != Signals::Reason::Deadline) sayWhatIsRunning();
        if (finish()) return report();
        const std::vector<std::string> unrecorded = player_->unrecorded();
        for (const std::string& name : unrecorded)
            say("the end of " + name + " is not written: another copy will run it again");
        Result result = abandoned(report());
        result.outputLost |= !unrecorded.empty();
        return result;
    }

  private:
    Overview overview() const {
        return {tasks_, start_, isReloaded_, printer_.lostLines(), player_->databaseUp()};
    }

    bool writeMetrics() { return metrics_.write(ledger_, overview()); }

    /// \throws std::invalid_argument if it cannot
    void listen() {
        if (!options_.listen) return;
        server_ = serve({[this] { return metricsOf(ledger_.records(), overview()); },
                         [this] { return player_->ailment(); }},
                        *options_.listen);
        if (options_.listen->port == 0 || options_.verbose)
            say("listening on " + http::toText(server_->address()));
    }

    static Result abandoned(Result result) {
        result.threadsAreLeft = true;
        return result;
    }

    /// Starts a schedule in a cluster. That waits for the database, and a signal does not.
    /// \returns false if a signal or the deadline came first; the start may go on
    bool startUnlessEnded(std::vector<Entry> entries, steady_clock::time_point deadline) {
        auto shared = std::make_shared<std::vector<Entry>>(std::move(entries));
        std::packaged_task<void()> starting([this, shared] {
            player_->start(std::move(*shared), [this] { signals_.wakeMain(); });
        });
        std::future<void> started = starting.get_future();
        std::thread thread(std::move(starting));
        bool hasEnded = false, isWoken = false, isToReload = false;
        while (started.wait_for(milliseconds(0)) != std::future_status::ready) {
            const steady_clock::time_point next = steady_clock::now() + kPolling;
            const Signals::Reason reason = signals_.wait(next);
            if (reason == Signals::Reason::Reload) {
                isToReload = true;
                continue;
            }
            switch (reason) {
            case Signals::Reason::Woken:
                isWoken = true;  // all has run, or something has failed
                break;
            case Signals::Reason::Deadline:
                hasEnded |= steady_clock::now() >= deadline;
                break;
            default:
                hasEnded = true;
            }
            if (!hasEnded) continue;
            commands_.endAll(SIGTERM);                   // also those that it begins from now on
            if (!commands_.running().empty()) continue;  // it has reached the database
            thread.detach();
            return false;
        }
        thread.join();
        started.get();
        if (isToReload) reload();
        if (isWoken || hasEnded) signals_.wakeMain();
        return true;
    }

    std::unique_ptr<SchedulePlayer> makePlayer() {
        if (!options_.cluster.empty()) return makeClusterPlayer(options_, ledger_, actions());
        const Player::Options options{options_.jobs, options_.catchUp, options_.grace};
        return std::make_unique<Player>(clocks_, ledger_, actions(), options);
    }

    SchedulePlayer::Actions actions() {
        return {
            [this](const Job& job, const SchedulePlayer::Done& done) { launch(job, done); },
            [this](const std::string& name, int signal) { commands_.end(name, signal); },
            [this](const Entry& entry, const std::string& why) {
                print(clocks_.wall->now(), entry.name, "[skipped: " + why + ']');
                if (trace_) trace_->skipped(entry.name, clocks_.steady->now());
            },
            [this](const Job& job, std::chrono::nanoseconds since) {
                print(clocks_.wall->now(), job.entry->name,
                      "[still running after " + inWords(since) + ']');
            },
            [this](const Entry& entry, Date when) { notify(skippedAsPast(entry.name, when)); },
            [this](const std::string& notice) { notify(notice); },
            [this](const Job& job) { hasFailed(job); },
            [this](const Entry& entry) { return state_ ? state_->recall(entry) : std::nullopt; }};
    }

    /// A run has failed, with all its retries.
    void hasFailed(const Job& job) {
        if (!options_.onFailure.empty()) {
            const auto run = [this, job] {
                const std::string failure = commands_.runHook(options_.onFailure, job);
                if (!failure.empty()) notifyOfHook(job, failure);
            };
            try {
                startThread(run);
            } catch (const std::system_error& e) {
                notifyOfHook(job, std::string("no thread can be started: ") + e.what());
            }
        }
        if (options_.stopOnFailure && !stops_.exchange(true)) signals_.wakeMain();
    }

    void notifyOfHook(const Job& job, const std::string& failure) {
        notify("--on-failure of " + job.entry->name + ": " + failure);
    }

    /// \throws std::system_error
    template <class Run>
    void startThread(const Run& run) {
        const auto hasEnded = [](const std::future<void>& each) {
            return each.wait_for(milliseconds(0)) == std::future_status::ready;
        };
        const std::lock_guard lock(runsMutex_);
        runs_.erase(std::remove_if(runs_.begin(), runs_.end(), hasEnded), runs_.end());
        runs_.push_back(std::async(std::launch::async, run));
    }

    /// Keeps in the file of --state that a run begins, before it does.
    void keepState(const Job& job) {
        if (!state_ || job.attempt > 1) return;
        try {
            state_->begin(*job.entry, clocks_.wall->now());
            stateFailed_ = false;
        } catch (const std::runtime_error& e) {
            stateIsLost_ = true;
            if (!stateFailed_.exchange(true)) notify(e.what());
        }
    }

    void launch(const Job& job, const SchedulePlayer::Done& done) {
        const auto run = [this, job, done] {
            try {
                keepState(job);
                done(commands_.run(job));
            } catch (...) {
                player_->fail(std::current_exception());
            }
        };
        try {
            startThread(run);
        } catch (const std::system_error& e) {
            print(clocks_.wall->now(), job.entry->name,
                  std::string("[failed: no thread can be started: ") + e.what() + ']');
            done(false);
        }
    }

    /// A line of a task.
    void print(Date now, const std::string& name, std::string_view text) {
        if (watches_) return;
        jtimer::detail::lookAtLocalTime();
        printer_.line(now, name, text);
    }

    /// Says something, above the table of --watch. Any thread may call this.
    void notify(const std::string& text) {
        if (!watches_) return say(text);
        const std::lock_guard lock(noticesMutex_);
        notices_.push_back(text);
    }

    void widen(const std::vector<Entry>& entries) {
        for (const Entry& entry : entries) printer_.widen(widthOf(entry.name));
    }

    /// Returns at the deadline, at a signal that ends the schedule, or when all has run.
    Signals::Reason waitForEnd(steady_clock::time_point deadline) {
        steady_clock::time_point look = after(options_.reloadEvery);  // at the files
        for (;;) {
            const steady_clock::time_point refresh =
                refreshes() ? steady_clock::now() + refreshment() : kNever;
            const steady_clock::time_point next = std::min({deadline, look, refresh});
            const Signals::Reason reason = signals_.wait(next);
            if (reason == Signals::Reason::Reload) {
                reload();
            } else if (reason != Signals::Reason::Deadline || next == deadline) {
                return reason;
            }
            if (steady_clock::now() >= look) {
                if (versionsOf(options_.files) != versions_) reload();
                look = after(options_.reloadEvery);
            }
            if (watches_) draw();
            const bool failed = !writeMetrics();
            if (failed && !metricsFailed_) notify(metrics_.failure());
            metricsFailed_ = failed;
        }
    }

    bool refreshes() const { return watches_ || metrics_.exists(); }
    milliseconds refreshment() const { return watches_ ? kDrawing : kWriting; }

    void draw() {
        drawNotices();
        watch_.draw(watchLines(ledger_.records(), clocks_.wall->now(), watch_.size()));
    }

    /// The notices stay above the table.
    void drawNotices() {
        const std::lock_guard lock(noticesMutex_);
        if (notices_.empty()) return;
        watch_.clear();
        for (const std::string& notice : std::exchange(notices_, {})) say(notice);
    }

    void reload() {
        isReloaded_ = false;
        if (std::find(options_.files.begin(), options_.files.end(), "-") != options_.files.end()) {
            notify("standard input cannot be read again: the schedule stays as it was");
            return;
        }
        jtimer::detail::rereadLocalTime();
        versions_ = versionsOf(options_.files);  // a wrong file is reported once
        std::vector<Entry> entries;
        try {
            entries = readSchedule(options_.files, options_.reading).entries;
        } catch (const std::runtime_error& e) {
            std::cerr << std::string(e.what()) + '\n' << std::flush;
            notify("the schedule stays as it was");
            return;
        }
        widen(entries);
        updateState(entries);
        const std::size_t tasks = entries.size();
        player_->replace(std::move(entries), [this, tasks](const SchedulePlayer::Changes& changes) {
            isReloaded_ = true;
            tasks_ = tasks;
            notify(namesOfFiles() + " read again: " + std::to_string(changes.added) + " added, " +
                   std::to_string(changes.changed) + " changed, " +
                   std::to_string(changes.removed) + " removed");
        });
    }

    void updateState(const std::vector<Entry>& entries) {
        try {
            if (state_) state_->update(entries, clocks_.wall->now());
        } catch (const std::runtime_error& e) {
            stateIsLost_ = true;
            notify(e.what());
        }
    }

    std::string namesOfFiles() const {
        std::string names;
        for (const std::string& file : options_.files) names += (names.empty() ? "" : ", ") + file;
        return names;
    }

    void sayWhatIsRunning() {
        std::string names;
        for (const std::string& name : commands_.running()) {
            names += (names.empty() ? "" : ", ") + name;
        }
        if (!names.empty()) say("waiting for " + names + " to finish");
    }

    /// Returns when the running commands have ended: by themselves, or by SIGTERM or SIGKILL if
    /// they do not end within the grace period.
    /// \returns false if the ends of their runs could not be recorded in time, in a cluster; then
    ///   a thread goes on trying
    bool finish() {
        auto finishing = std::make_shared<std::packaged_task<void()>>([this] {
            player_->awaitEnd();
            runs_.clear();
            player_->finish();
            runs_.clear();  // the hooks of what has not been retried
        });
        std::future<void> finished = finishing->get_future();
        std::thread thread([this, finishing] {
            (*finishing)();
            signals_.wakeMain();
        });
        const bool isShared = !options_.cluster.empty();
        const steady_clock::time_point begin = steady_clock::now();
        const int graces = commands_.running().empty() ? 1 : 2;
        const steady_clock::time_point last = begin + graces * options_.grace + kEnding;
        steady_clock::time_point deadline = begin + options_.grace;
        int next = SIGTERM;
        bool hasSaid = false;
        while (finished.wait_for(milliseconds(0)) != std::future_status::ready) {
            const steady_clock::time_point now = steady_clock::now();
            if (isShared && now >= last) {
                thread.detach();
                return false;
            }
            if (isShared && !hasSaid && now >= begin + kPatience && commands_.running().empty()) {
                say("waiting for the database");
                hasSaid = true;
            }
            if (now >= deadline) {
                commands_.endAll(next);
                deadline = next == SIGTERM ? now + options_.grace : kNever;
                next = SIGKILL;
            }
            const auto look = isShared ? std::min(last, now + kPolling) : kNever;
            if (signals_.wait(std::min(deadline, look)) == Signals::Reason::Interrupt) {
                commands_.endAll(SIGKILL);
                signals_.restore();
                deadline = kNever;
            }
        }
        thread.join();
        finished.get();
        return true;
    }

    Result report() {
        printer_.table(ledger_.records(), options_.node);
        Result result;
        result.commandsFailed = ledger_.hasFailures();
        result.outputLost = stateIsLost_;
        if (trace_) {
            trace_->finish();
            result.outputLost |= trace_->lostEvents() > 0;
        }
        if (!writeMetrics()) {
            if (!metricsFailed_) notify(metrics_.failure());
            result.outputLost = true;
        }
        return result;
    }

    const Options& options_;
    Printer printer_;
    const bool watches_;
    Watch watch_;
    Signals signals_;  // before the first thread, which inherits the blocked signals
    const Clocks clocks_{std::make_shared<jtimer::SteadyClock>(),
                         std::make_shared<jtimer::WallClock>(), jtimer::detail::lookAtLocalTime};
    const std::unique_ptr<Trace> trace_;
    const Date start_ = clocks_.wall->now();
    MetricsFile metrics_{options_.metrics};
    bool metricsFailed_ = false;  ///< and that has been said

    std::vector<FileVersion> versions_;  ///< of the files, before they were last read
    std::atomic<std::size_t> tasks_{0};  ///< of the schedule
    std::atomic<bool> isReloaded_{true};

    std::optional<StateFile> state_;
    std::atomic<bool> stateFailed_{false};  ///< and that has been said
    std::atomic<bool> stateIsLost_{false};  ///< of a run, or of a reload
    std::atomic<bool> stops_{false};        ///< for --stop-on-failure

    std::mutex noticesMutex_;
    std::vector<std::string> notices_;  ///< guarded by noticesMutex_: not yet shown

    Ledger ledger_;
    Commands commands_;
    std::mutex runsMutex_;
    /// Of commands and of hooks. Guarded by runsMutex_ until none will start. Destroying one waits
    /// until it has ended.
    std::vector<std::future<void>> runs_;
    const std::unique_ptr<SchedulePlayer> player_;
    std::unique_ptr<http::Server> server_;  // last: its threads use the other members
};

}  // namespace

Result play(Schedule schedule, const Options& options, Output& output) {
    std::signal(SIGCHLD, SIG_DFL);  // if it were ignored, we would get no exit status
    // Failing to write a line must not end the process.
    for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
    auto session = std::make_unique<Session>(options, output);
    const Result result = session->run(std::move(schedule));
    if (result.threadsAreLeft) static_cast<void>(session.release());
    return result;
}
