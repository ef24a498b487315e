// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "support/abilities.hpp"
#include "support/counter.hpp"
#include "support/manual_timer.hpp"

#include <jtimer/exceptions.hpp>
#include <jtimer/manual_clock.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace test {

/// What a task or a waker captured: its destructor calls `function`.
class WhenDestroyed {
  public:
    explicit WhenDestroyed(std::function<void()> function) : function_(std::move(function)) {}
    WhenDestroyed(const WhenDestroyed&) = delete;
    WhenDestroyed& operator=(const WhenDestroyed&) = delete;
    ~WhenDestroyed() { function_(); }

  private:
    const std::function<void()> function_;
};
using Captured = std::shared_ptr<WhenDestroyed>;

/// What is special about a call.
enum class Calls {
    Timer,
    TimerAndMayWait,       ///< for the thread that is destroying: so only that makes the call
    TaskHandle,            ///< which outlives the timer
    TaskHandleAndMayWait,  ///< both
};

/// What a destructor calls: a column of the table.
template <class Fixture>
struct FromDestructor {
    const char* name;
    std::function<std::string(Fixture&)> call;  ///< \returns what the call returned, in a word
    /// What the call answers, and what end() says then: "ok+" while the timer lives, "state" once
    /// it has ended.
    const char *live, *ended;
    Calls calls = Calls::Timer;

    bool isOfHandle() const {
        return calls == Calls::TaskHandle || calls == Calls::TaskHandleAndMayWait;
    }
    bool mayWait() const {
        return calls == Calls::TimerAndMayWait || calls == Calls::TaskHandleAndMayWait;
    }
};

/// What the calls of a row answer: what their columns say, but for `others`.
struct Answers {
    enum class Timer { Lives, RunsNothing, HasEnded, IsGone };

    Timer timer = Timer::Lives;
    std::map<std::string, std::string> others{};  ///< by the name of the call
    std::string gone = "-";                       ///< of each call that is not made

    template <class Fixture>
    std::string of(const FromDestructor<Fixture>& call) const {
        const auto other = others.find(call.name);
        if (other != others.end()) return other->second;
        if (timer == Timer::Lives) return call.live;
        const std::string live = call.live;
        if (timer == Timer::RunsNothing) return live.substr(0, live.find_first_of("+*"));
        return timer == Timer::HasEnded || call.isOfHandle() ? call.ended : gone;
    }
};
using Others = std::map<std::string, std::string>;
inline Answers live(const Others& others = {}) { return {Answers::Timer::Lives, others}; }
inline Answers runsNothing() { return {Answers::Timer::RunsNothing}; }
inline Answers ended(const Others& others = {}) { return {Answers::Timer::HasEnded, others}; }
inline Answers gone(const Others& others = {}) { return {Answers::Timer::IsGone, others}; }

/// How it comes that what was captured is destroyed: a row of the table. A Fixture is constructed
/// from `options`. It has a timer on a manual clock, with another task that is far away; isGone,
/// set once the timer's destructor has returned; and end(), which lets the time pass, destroys the
/// timer, waits until all is freed, and says which tasks have run, in a sign each.
template <class Fixture>
struct Destruction {
    const char* name;
    std::function<void(Fixture&, Captured)> bring;
    Answers answers;
    typename Fixture::Options options;
    bool needsThreadExit = false;

    Destruction(const char* name_, std::function<void(Fixture&, Captured)> bring_,
                Answers answers_ = live(), typename Fixture::Options options_ = {})
        : name(name_), bring(std::move(bring_)), answers(std::move(answers_)),
          options(std::move(options_)) {}
};

/// The row if it ends a thread by pthread_exit().
template <class Fixture>
Destruction<Fixture> byThreadExit(Destruction<Fixture> row) {
    row.needsThreadExit = true;
    return row;
}

/// What the Fixtures of all timers share.
template <class Timer>
struct DestructorFixture {
    const std::shared_ptr<jtimer::ManualClock> clock =
        std::make_shared<jtimer::ManualClock>(kStart);
    const std::shared_ptr<int> token = std::make_shared<int>();  ///< which all tasks hold
    std::atomic<int> othersRuns{0}, newRuns{0};
    std::atomic<bool> isGone{false};
    std::unique_ptr<Timer> owned;
    Timer* const timer;

    /// \param make \returns a timer on the clock that it is given, as a std::unique_ptr
    template <class Make>
    explicit DestructorFixture(const Make& make) : owned(make(clock)), timer(owned.get()) {}

    /// The task that is far away.
    auto othersTask() {
        return [this, t = token] { ++othersRuns; };
    }
    /// What a destructor schedules.
    auto newTask() {
        return [this, t = token] { ++newRuns; };
    }
    void destroy() {
        owned.reset();
        isGone = true;
    }
    void awaitFreed() const {
        while (token.use_count() > 1) boost::this_thread::yield();
    }
    /// + for the other task, * for each run of a new one.
    std::string runs() const {
        return (othersRuns > 0 ? "+" : "") + std::string(static_cast<std::size_t>(newRuns), '*');
    }
};

/// "ok", or "state" for an IllegalStateException and so on, of a call that returns nothing.
template <class Function>
std::string okOr(const Function& function) {
    try {
        function();
        return "ok";
    } catch (const jtimer::RejectedExecutionException&) {
        return "full";
    } catch (const jtimer::IllegalStateException&) {
        return "state";
    }
}
inline std::string yesOrNo(bool yes) { return yes ? "yes" : "no"; }

/// Plays one cell on a thread of its own, so that a deadlock is reported by its name.
template <class Fixture>
std::string playCell(const Destruction<Fixture>& row, const FromDestructor<Fixture>& column,
                     bool elsewhere) {
    struct Cell {
        std::string answer = "never", end;
        std::atomic<int> destroyed{0};
        std::atomic<bool> returned{false};
        Counter ended;
    };
    const auto cell = std::make_shared<Cell>();
    boost::thread([cell, row, column, elsewhere] {
        {
            Fixture fixture(row.options);
            const auto call = [&] {
                const bool isMade = !fixture.isGone || column.isOfHandle();
                cell->answer = isMade ? column.call(fixture) : "-";
            };
            row.bring(fixture, std::make_shared<WhenDestroyed>([&] {
                          ++cell->destroyed;
                          // Another thread would wait for ever, if a lock were held here.
                          if (elsewhere) {
                              boost::thread(call).join();
                          } else {
                              call();
                          }
                          cell->returned = true;
                      }));
            cell->end = fixture.end();
            // A thread that ends on its own may still be destroying.
            while (!cell->returned) boost::this_thread::yield();
        }
        cell->ended.up();
    }).detach();
    const bool ended = cell->ended.reaches(1);
    BOOST_REQUIRE_MESSAGE(ended, row.name << ": " << column.name << " does not return"
                                          << (elsewhere ? " on another thread" : ""));
    BOOST_TEST(cell->destroyed == 1);
    return cell->answer + cell->end;
}

/// Plays each call in each destruction, on fresh fixtures: on the thread that destroys, and on
/// another one, for which that waits. Both get the same answer, no lock is held, and all is freed.
/// Where the timer is gone, handles still answer.
template <class Fixture>
void checkDestructors(const std::vector<FromDestructor<Fixture>>& columns,
                      const std::vector<Destruction<Fixture>>& rows) {
    for (const auto& row : rows) {
        if (row.needsThreadExit && !threadExitUnwinds()) continue;
        BOOST_TEST_CONTEXT(row.name) {
            Others unknown = row.answers.others;
            for (const auto& column : columns) {
                BOOST_TEST_CONTEXT(column.name) {
                    const std::string answer = playCell(row, column, false);
                    BOOST_TEST(answer == row.answers.of(column));
                    if (!column.mayWait()) BOOST_TEST(playCell(row, column, true) == answer);
                }
                unknown.erase(column.name);
            }
            BOOST_TEST(unknown.empty());
        }
    }
}

}  // namespace test
