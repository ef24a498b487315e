// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

// Who operates the cluster of the stress meanwhile, at random: one thread pauses and resumes names,
// nodes and everything, the other one does so to tasks, runs them now, revives, cancels and prunes.

#include "cluster/stress_node.hpp"

#include <jtimer/cluster/scheduler.hpp>

#include <boost/thread/thread.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace test::stress {

/// By the clock of this computer, which is the server's, too.
inline std::int64_t nowMicros() {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
}

/// For which something was paused beyond doubt: from the return of pause() to the call of what
/// ended the pause.
struct Paused {
    std::string scope, name, id;
    std::int64_t begin;
    std::int64_t end = 0;
    int runNows = 0;  ///< of the task
};

struct Counts {
    int pauses = 0, resumes = 0, skips = 0, runNows = 0, revived = 0, cancelled = 0;
};

/// What both operators do. Each is used by its own thread, and read when that has ended.
class Operator {
  public:
    Operator(const std::string& conninfo, const std::string& name, unsigned seed)
        : random_(seed), scheduler_(optionsOf(conninfo, name, "operator")) {}

    const std::vector<Paused>& paused() const { return over_; }
    const Counts& counts() const { return counts_; }

    void resumeAll() {
        while (!active_.empty()) resume(active_.size() - 1);
    }

  protected:
    struct Active {
        cluster::Target target;
        Paused paused;
        bool certain;
        std::int64_t until;
    };

    std::size_t below(std::size_t bound) {
        return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_);
    }

    bool isActive(const std::string& scope, const std::string& name, const std::string& id) const {
        return std::any_of(active_.begin(), active_.end(), [&](const Active& each) {
            return each.paused.scope == scope && each.paused.name == name && each.paused.id == id;
        });
    }

    void pause(const cluster::Target& target, const std::string& scope, const std::string& name,
               const std::string& id, std::size_t upToMillis) {
        if (isActive(scope, name, id)) return;
        const bool certain = insist([&] { return scheduler_.pause(target, "stress"); });
        ++counts_.pauses;
        const std::int64_t now = nowMicros();
        active_.push_back({target,
                           {scope, name, id, now},
                           certain,
                           now + 1000 * static_cast<std::int64_t>(below(upToMillis))});
    }

    /// Before the call of what ends a pause, or may end it.
    void end(Active& each) {
        each.paused.end = nowMicros();
        if (each.certain) over_.push_back(each.paused);
        each.certain = false;
    }

    void resume(std::size_t index) {
        end(active_[index]);
        const cluster::Target target = active_[index].target;
        active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(index));
        const bool skips = below(3) == 0;
        insist([&] {
            return scheduler_.resume(target, skips ? cluster::MissedInPause::Skip
                                                   : cluster::MissedInPause::Run);
        });
        ++(skips ? counts_.skips : counts_.resumes);
    }

    void resumeWhatIsOver() {
        for (std::size_t i = active_.size(); i-- > 0;)
            if (active_[i].until < nowMicros()) resume(i);
    }

    std::mt19937 random_;
    cluster::Scheduler scheduler_;
    std::vector<Active> active_;
    std::vector<Paused> over_;
    Counts counts_;
};

/// Of names, nodes and everything.
class OperatorOfScopes : public Operator {
  public:
    OperatorOfScopes(const std::string& conninfo, unsigned seed, std::vector<std::string> names,
                     std::vector<std::string> nodes)
        : Operator(conninfo, "operator of scopes", seed), names_(std::move(names)),
          nodes_(std::move(nodes)) {}

    void step() {
        resumeWhatIsOver();
        const std::size_t kind = active_.size() < 4 ? below(20) : 20;
        if (kind < 5) {
            const std::string name = names_[below(names_.size())];
            pause(cluster::Target::name(name), "name", name, "", 1500);
        } else if (kind < 8) {
            const std::string node = nodes_[below(nodes_.size())];
            pause(cluster::Target::node(node), "node", node, "", 2500);
        } else if (kind < 9) {
            pause(cluster::Target::everything(), "everything", "", "", 500);
        }
        sleepFor(std::chrono::milliseconds(below(150)));
    }

  private:
    const std::vector<std::string> names_, nodes_;
};

/// Of tasks.
class OperatorOfTasks : public Operator {
  public:
    /// \param scheduled how many one-shots there have been
    OperatorOfTasks(const std::string& conninfo, unsigned seed, const std::atomic<int>& scheduled)
        : Operator(conninfo, "operator of tasks", seed), scheduled_(scheduled) {}

    void step() {
        resumeWhatIsOver();
        const auto [name, id] = anyTask();
        switch (below(12)) {
        case 0:
        case 1:
        case 2:
        case 3:
            pause(cluster::Target::task(name, id), "task", name, id, 3000);
            break;
        case 4:
        case 5:
            runNow(name, id);
            break;
        case 6:
            if (!active_.empty()) runPaused(active_[below(active_.size())]);
            break;
        case 7:
            revive();
            break;
        case 8:
            cancel(name, id);
            break;
        case 9:
            cancelMany();
            break;
        case 10:
            look();
            break;
        default:
            break;
        }
        sleepFor(std::chrono::milliseconds(below(60)));
    }

    void revive() {
        cluster::Filter dead;
        dead.name = "mortal";
        dead.state = cluster::State::Dead;
        counts_.revived += static_cast<int>(insist([&] { return scheduler_.revive(dead); }));
    }

    void runCronNow() {
        for (int i = 0; i < kCron; ++i) runNow("cron", repeatingTask(kRepeating + i).id);
    }

  private:
    std::pair<std::string, std::string> anyTask() {
        if (below(2) == 0) {
            const cluster::NewTask task =
                repeatingTask(static_cast<int>(below(kRepeating + kCron)));
            return {task.name, task.id};
        }
        const int number = std::max(0, scheduled_ - static_cast<int>(below(100)));
        return {nameOf(number), std::to_string(number)};
    }

    void runNow(const std::string& name, const std::string& id) {
        // Each call may have an effect, though only the last is known to.
        insist([&] {
            for (Active& each : active_)
                if (each.paused.name == name && each.paused.id == id) ++each.paused.runNows;
            return scheduler_.runNow(name, id);
        });
        ++counts_.runNows;
    }

    void runPaused(const Active& each) { runNow(each.paused.name, each.paused.id); }

    /// Before the call of what may delete such tasks, which ends their pauses.
    template <class MayDelete>
    void endPauses(const MayDelete& mayDelete) {
        for (Active& each : active_)
            if (mayDelete(each.paused)) end(each);
    }

    /// What repeats is scheduled anew.
    void cancel(const std::string& name, const std::string& id) {
        endPauses([&](const Paused& each) { return each.name == name && each.id == id; });
        insist([&] { return scheduler_.cancel(name, id); });
        ++counts_.cancelled;
        if (name == "repeat" || name == "cron")
            insist([&] { return scheduler_.schedule(repeatingTask(std::stoi(id))); });
    }

    void cancelMany() {
        endPauses([](const Paused& each) { return each.name == "doomed"; });
        if (below(2) == 0) {
            cluster::Filter some;
            some.name = "doomed";
            some.idPrefix = std::to_string(std::max(0, scheduled_ - 30) / 10);
            insist([&] { return scheduler_.cancelAll(some); });
        } else {
            std::vector<std::string> kept;
            for (int i = std::max(0, scheduled_ - 40); i < scheduled_; ++i)
                kept.push_back(std::to_string(i));
            insist([&] { return scheduler_.cancelOthers("doomed", kept); });
        }
        ++counts_.cancelled;
    }

    void look() {
        insist([&] { return scheduler_.list().size(); });
        insist([&] { return scheduler_.names().size(); });
        insist([&] { return scheduler_.nodes().size(); });
        insist([&] { return scheduler_.pauses().size(); });
        insist([&] { return scheduler_.backlog().paused; });
    }

    const std::atomic<int>& scheduled_;
};

}  // namespace test::stress
