// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "session.hpp"

#include "../text/parsing.hpp"
#include "calendar/local_time.hpp"
#include "cluster.hpp"
#include "commands.hpp"
#include "ledger.hpp"
#include "local_zone.hpp"
#include "metrics.hpp"
#include "pages.hpp"
#include "player.hpp"
#include "report.hpp"
#include "runs.hpp"
#include "schedule_file.hpp"
#include "signals.hpp"
#include "trace.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <exception>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using jtimer::Date;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

/// How often the file of --metrics is written again.
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
    Session(const Options& options, Report& report)
        : options_(options), report_(report), signals_(options.reload),
          trace_(makeTrace(options.trace, clocks_.steady->now(),
                           [this](const std::string& text) { notify(Level::Error, text); })),
          commands_(ledger_, report, trace_.get(), options_.node, options_.grace),
          runs_(options, commands_, report, trace_.get()), player_(makePlayer()) {}

    Result run(Schedule schedule) {
        versions_ = std::move(schedule.versions);
        std::vector<Entry> entries = std::move(schedule.entries);
        runs_.openState(entries);
        const steady_clock::time_point deadline = after(options_.runFor);
        report_.expect(entries);
        if (options_.verbose) {
            notify(Level::Info, std::to_string(entries.size()) +
                                    (entries.size() == 1 ? " task" : " tasks") +
                                    "; the local zone is " + describeLocalZone());
        }
        for (const Entry& entry : entries) ledger_.add(entry.name);
        tasks_ = entries.size();
        listen();
        if (!writeMetrics()) throw std::invalid_argument(metrics_.failure());
        if (options_.cluster.empty()) {
            player_->start(std::move(entries), [this] { signals_.wakeMain(); });
        } else if (!startUnlessEnded(std::move(entries), deadline)) {
            return abandoned(result());
        }
        const Signals::Reason reason = waitForEnd(deadline);
        player_->cancel();
        // Somebody may wait for a page of the cluster, and so for the database. The end does not.
        if (others_) others_->close();
        const std::future<void> closing =  // NOLINT(bugprone-unused-local-non-trivial-variable)
            std::async(std::launch::async, [this] { server_.reset(); });  // its destructor waits
        report_.endRefreshing();
        if (reason != Signals::Reason::Deadline) sayWhatIsRunning();
        if (finish()) return result();
        const std::vector<std::string> unrecorded = player_->unrecorded();
        for (const std::string& name : unrecorded)
            notify(Level::Error,
                   "the end of " + name + " is not written: another copy will run it again");
        Result lost = abandoned(result());
        lost.outputLost |= !unrecorded.empty();
        return lost;
    }

  private:
    Overview overview() const {
        return {tasks_, start_, isReloaded_, report_.lostLines(), player_->databaseUp()};
    }

    bool writeMetrics() { return metrics_.write(ledger_, overview()); }

    /// \throws std::invalid_argument if it cannot
    void listen() {
        if (!options_.listen) return;
        Pages pages{[this] { return metricsOf(ledger_.records(), overview()); },
                    [this] { return player_->ailment(); }};
        if (!options_.cluster.empty()) {
            pages.others = [this](const http::Address& address) {
                return others_ = makeClusterPages(options_, address);
            };
        }
        server_ = serve(std::move(pages), *options_.listen);
        if (options_.listen->port == 0 || options_.verbose)
            notify(Level::Info, "listening on " + http::toText(server_->address()));
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
        SchedulePlayer::Actions actions = runs_.actions(
            [this] { signals_.wakeMain(); },
            [this](std::exception_ptr exception) { player_->fail(std::move(exception)); });
        if (!options_.cluster.empty())
            return makeClusterPlayer(options_, ledger_, std::move(actions));
        const Player::Options options{options_.jobs, options_.catchUp, options_.grace};
        return std::make_unique<Player>(clocks_, ledger_, std::move(actions), options);
    }

    void notify(Level level, const std::string& text) { report_.notice(level, text); }

    /// Returns at the deadline, at a signal that ends the schedule, or when all has run.
    Signals::Reason waitForEnd(steady_clock::time_point deadline) {
        steady_clock::time_point look = after(options_.reloadEvery);  // at the files
        for (;;) {
            const steady_clock::time_point next = std::min({deadline, look, after(refreshment())});
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
            if (report_.refreshment()) report_.refresh(clocks_.wall->now(), ledger_.records());
            const bool failed = !writeMetrics();
            if (failed && !metricsFailed_) notify(Level::Error, metrics_.failure());
            metricsFailed_ = failed;
        }
    }

    std::optional<milliseconds> refreshment() const {
        if (report_.refreshment()) return report_.refreshment();
        return metrics_.exists() ? std::optional(kWriting) : std::nullopt;
    }

    void reload() {
        isReloaded_ = false;
        if (options_.readInput()) {
            notify(Level::Error,
                   "standard input cannot be read again: the schedule stays as it was");
            return;
        }
        jtimer::detail::rereadLocalTime();
        versions_ = versionsOf(options_.files);  // a wrong file is reported once
        std::vector<Entry> entries;
        try {
            entries = readSchedule(options_.files, options_.reading).entries;
        } catch (const std::runtime_error& e) {
            report_.badFiles(e.what());
            notify(Level::Error, "the schedule stays as it was");
            return;
        }
        report_.expect(entries);
        runs_.update(entries);
        const std::size_t tasks = entries.size();
        player_->replace(std::move(entries), [this, tasks](const SchedulePlayer::Changes& changes) {
            isReloaded_ = true;
            tasks_ = tasks;
            notify(Level::Info, joined(options_.files, ", ") +
                                    " read again: " + std::to_string(changes.added) + " added, " +
                                    std::to_string(changes.changed) + " changed, " +
                                    std::to_string(changes.removed) + " removed");
        });
    }

    void sayWhatIsRunning() {
        const std::string names = joined(commands_.running(), ", ");
        if (!names.empty()) notify(Level::Info, "waiting for " + names + " to finish");
    }

    /// Returns when the running commands have ended: by themselves, or by SIGTERM or SIGKILL if
    /// they do not end within the grace period.
    /// \returns false if the ends of their runs could not be recorded in time, in a cluster; then
    ///   a thread goes on trying
    bool finish() {
        auto finishing = std::make_shared<std::packaged_task<void()>>([this] {
            player_->awaitEnd();
            runs_.awaitAll();
            player_->finish();
            runs_.awaitAll();  // the hooks of what has not been retried
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
                notify(Level::Warning, "waiting for the database");
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

    Result result() {
        report_.summary(clocks_.wall->now(), ledger_.records());
        Result result;
        result.commandsFailed = ledger_.hasFailures();
        result.outputLost = runs_.stateHasFailed();
        if (trace_) {
            trace_->finish();
            result.outputLost |= trace_->lostEvents() > 0;
        }
        if (!writeMetrics()) {
            if (!metricsFailed_) notify(Level::Error, metrics_.failure());
            result.outputLost = true;
        }
        return result;
    }

    const Options& options_;
    Report& report_;
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

    Ledger ledger_;
    Commands commands_;
    Runs runs_;
    const std::unique_ptr<SchedulePlayer> player_;
    std::shared_ptr<OtherPages> others_;    ///< of server_, in a cluster
    std::unique_ptr<http::Server> server_;  // last: its threads use the other members
};

}  // namespace

Result play(Schedule schedule, const Options& options, Report& report) {
    std::signal(SIGCHLD, SIG_DFL);  // if it were ignored, we would get no exit status
    // Failing to write a line must not end the process.
    for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
    auto session = std::make_unique<Session>(options, report);
    const Result result = session->run(std::move(schedule));
    if (result.threadsAreLeft) static_cast<void>(session.release());
    return result;
}
