// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "scenario.hpp"

#include <jtimer/timer.hpp>

#include <boost/thread/condition_variable.hpp>
#include <boost/thread/mutex.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

/// \file
/// What stands on the stage while a scenario is played: its timers, its tasks, what they have done.

namespace oracle {

/// A timer of the scenario.
struct PlayedTimer {
    std::string name;                ///< in the scenario
    std::string shownName;           ///< of its thread
    std::vector<std::string> lines;  ///< what its thread has done since the script last looked
    bool started = false;
    bool ended = false;              ///< its thread
    std::shared_ptr<bool> sentinel;  ///< whether the task that `join` waits for has run
    std::unique_ptr<jtimer::Timer> timer;
};

/// What a time that a task answers is counted from: what is not certain is not printed.
enum class Anchor { Never, Start, Epoch, Now };

class Player;

/// A task of the scenario.
class PlayedTask final : public jtimer::TimerTask {
  public:
    PlayedTask(Player& player, std::string itsName, const TaskScript& itsScript)
        : name(std::move(itsName)), script(itsScript), player_(player) {}

    void run() override;
    bool cancel() override;

    const std::string name;
    const TaskScript& script;

    Anchor anchor = Anchor::Never;
    bool fixedDelay = false;
    int begun = 0;
    int over = 0;
    PlayedTimer* timer = nullptr;  ///< that ran it last
    bool holding = false;          ///< its run waits to be released
    bool released = false;

  private:
    Player& player_;
};

/// All of it, and its one lock, which also orders what is written.
struct Stage {
    boost::mutex mutex;
    boost::condition_variable changed;
    std::vector<std::string> lines;  ///< the transcript
    std::map<std::string, std::unique_ptr<PlayedTimer>> timers;
    std::vector<PlayedTimer*> inOrder;
    std::map<std::string, std::shared_ptr<PlayedTask>> tasks;
    bool closing = false;  ///< nobody holds any more

    /// Waits until `condition`, asked under the lock, holds. \returns false after some seconds
    bool await(const std::function<bool()>& condition);

    /// Writes a line of the timer whose thread calls, or is spoken for; else of the script.
    void say(const std::string& line);

    /// Moves to the transcript what the timer's thread has done.
    void show(PlayedTimer& timer);

    PlayedTimer* findTimer(const std::string& name);
    std::shared_ptr<PlayedTask> findTask(const std::string& name);
};

/// The timer whose thread calls; null on other threads.
PlayedTimer* currentTimer();

/// The timer whose lines the calling thread writes; null: the script's. A thread that helps a
/// timer's thread speaks for it.
PlayedTimer*& voice();

/// Marks the calling thread as the timer's, until it ends.
void enterThreadOf(Stage& stage, PlayedTimer& timer);

/// The calling thread's name, as far as the system keeps it.
std::string nameOfThisThread(const PlayedTimer& timer);

}  // namespace oracle
