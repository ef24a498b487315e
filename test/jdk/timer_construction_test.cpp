// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/abilities.hpp"
#include "support/child_process.hpp"
#include "support/manual_timer.hpp"
#include "support/system_threads.hpp"
#include "support/thread_state.hpp"
#include "support/throws.hpp"

#include <algorithm>
#include <atomic>
#include <ctime>
#include <fstream>
#include <pthread.h>
#include <set>
#include <system_error>
#include <unistd.h>
#include <vector>

using jtimer::Timer;
using jtimer::TimerOptions;
using namespace std::chrono_literals;
using test::Gate;

namespace {

static_assert(!std::is_constructible_v<Timer, int*>);
static_assert(!std::is_constructible_v<Timer, const void*>);
static_assert(!std::is_constructible_v<Timer, const Timer*>);
static_assert(!std::is_copy_constructible_v<Timer>);
static_assert(!std::is_move_constructible_v<Timer>);
static_assert(!std::is_convertible_v<bool, Timer>, "every constructor of one argument is explicit");
static_assert(!std::is_convertible_v<const char*, Timer>);

/// What `function` answers on the timer's thread.
template <class Function>
auto onThreadOf(Timer& timer, Function function) {
    decltype(function()) answer{};
    Gate answered;
    timer.schedule(
        [&] {
            answer = function();
            answered.open();
        },
        0);
    answered.wait();
    return answer;
}

/// The CPU time of a thread, and how often it has gone to sleep.
struct Usage {
    std::int64_t nanos = 0;
    std::string switches;
    bool asleep = false;
};

class ThreadMeter {
  public:
    explicit ThreadMeter(Timer& timer)
        : folder_(onThreadOf(
              timer, [] { return "/proc/self/task/" + std::to_string(test::idOfThisThread()); })) {
        onThreadOf(timer, [this] { return pthread_getcpuclockid(pthread_self(), &cpuClock_); });
    }

    Usage read() const {
        Usage usage;
        std::ifstream status(folder_ + "/status");
        for (std::string line; std::getline(status, line);) {
            if (line.rfind("State:\tS", 0) == 0) usage.asleep = true;
            if (line.find("ctxt_switches") != std::string::npos) usage.switches += line + '\n';
        }
        // Last: what the thread does before it is seen asleep has been counted by then.
        timespec time{};
        clock_gettime(cpuClock_, &time);
        usage.nanos = time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
        return usage;
    }

    /// Waits until the thread has gone to sleep after what came before.
    Usage readAsleep() const {
        Usage usage = read();
        for (;;) {
            boost::this_thread::sleep_for(boost::chrono::milliseconds(20));
            const Usage later = read();
            const bool hasRun = later.nanos != usage.nanos || later.switches != usage.switches;
            if (later.asleep && !hasRun) return later;
            usage = later;
        }
    }

  private:
    const std::string folder_;
    clockid_t cpuClock_{};
};

}  // namespace

BOOST_AUTO_TEST_CASE(j1_every_constructor_starts_the_thread) {
    const auto ownThread = [](Timer& timer) {
        return onThreadOf(timer, [] { return boost::this_thread::get_id(); });
    };
    Timer a;
    Timer b(true);
    Timer c("c");
    Timer d("d", true);
    Timer e(std::string("e"));
    Timer f(std::string("f"), true);
    Timer g(TimerOptions{});
    Timer h("h", true, std::make_shared<jtimer::SteadyClock>());
    std::set<boost::thread::id> threads{boost::this_thread::get_id()};
    for (Timer* timer : {&a, &b, &c, &d, &e, &f, &g, &h}) threads.insert(ownThread(*timer));
    BOOST_TEST(threads.size() == 9U);
}

BOOST_AUTO_TEST_CASE(c7_a_clock_comes_with_the_name_and_the_timer_tells_its_clock) {
    const auto manual = std::make_shared<jtimer::ManualClock>(test::kStart);
    Timer timer("tested", true, manual);
    BOOST_TEST(timer.name() == "tested");
    BOOST_TEST(timer.clock() == manual);
    BOOST_TEST((timer.clock()->now() == test::kStart));
    bool ran = false;
    timer.schedule([&] { ran = true; }, 1h);
    manual->advance(1h);
    BOOST_TEST(ran);

    const Timer named(std::string("string"), true, manual);
    BOOST_TEST(named.name() == "string");
    CHECK_THROWS(Timer(nullptr, true, manual), jtimer::NullPointerException, "name cannot be null");
    const Timer byDefault, withNull("x", true, nullptr);
    BOOST_TEST((dynamic_cast<jtimer::WallClock*>(byDefault.clock().get()) != nullptr));
    BOOST_TEST((dynamic_cast<jtimer::WallClock*>(withNull.clock().get()) != nullptr));
    static_assert(!std::is_constructible_v<Timer, const char*, int, decltype(manual)>,
                  "only a bool is a daemon flag");
    static_assert(std::is_final_v<Timer>, "nothing calls what overrides a function of Timer");
}

CHILD_PROCESS(prints_default_names) {
    const auto print = [](const Timer& timer) { test::print(timer.name() + '\n'); };
    print(Timer());
    print(Timer(true));
    print(Timer(false));
    Timer three;
    print(three);
    print(Timer("x"));
    print(Timer(std::string("y"), true));
    TimerOptions named;
    named.name = "z";
    print(Timer(named));
    print(Timer());
    for (const bool isDaemon : {false, true}) {
        try {
            isDaemon ? Timer(nullptr, true) : Timer(static_cast<const char*>(nullptr));
        } catch (const jtimer::NullPointerException&) {
        }
    }
    three.cancel();
    print(Timer(TimerOptions{}));
    const Timer six("Timer-6");
    const Timer another("Timer-6");
    print(another);
    print(Timer());
    print(Timer());
}

BOOST_AUTO_TEST_CASE(
    j2_j3_j4_default_names_count_the_unnamed_timers_of_the_process_from_0_without_reuse) {
    const auto child = test::runChild("prints_default_names");
    BOOST_TEST(child.out == "Timer-0\nTimer-1\nTimer-2\nTimer-3\nx\ny\nz\nTimer-4\nTimer-5\n"
                            "Timer-6\nTimer-6\nTimer-7\n");
    BOOST_TEST(child.err == "");
    BOOST_TEST(child.exitCode == 0);
}

BOOST_AUTO_TEST_CASE(j5_160_default_timers_made_by_8_threads_have_160_names) {
    std::vector<std::vector<std::string>> names(8);
    boost::thread_group threads;
    for (auto& mine : names) {
        threads.create_thread([&mine] {
            for (int i = 0; i < 20; ++i) mine.push_back(Timer(true).name());
        });
    }
    threads.join_all();
    std::set<std::string> distinct;
    for (const auto& mine : names) distinct.insert(mine.begin(), mine.end());
    BOOST_TEST(distinct.size() == 160U);
}

BOOST_AUTO_TEST_CASE(j6_c9_the_thread_of_a_task_carries_the_first_15_bytes_of_the_name) {
    const auto shown = [](const std::string& name) {
        Timer timer(name, true);
        return onThreadOf(timer, test::currentThreadName);
    };
    BOOST_TEST(shown("backup") == "backup");
    BOOST_TEST(shown("") == "");
    BOOST_TEST(shown("exactly15bytes.") == "exactly15bytes.");
    BOOST_TEST(shown("sixteen bytes...") == "sixteen bytes..");
    BOOST_TEST(shown(std::string(1000, 'n')) == std::string(15, 'n'));
    Timer unnamed;
    BOOST_TEST(onThreadOf(unnamed, test::currentThreadName) == unnamed.name());
}

BOOST_AUTO_TEST_CASE(j7_any_name_is_kept_as_it_is) {
    const std::vector<std::string> names{"",
                                         std::string(1000, 'n'),
                                         "two\nlines",
                                         "Zeitgeber \u00fc\u6f22",
                                         std::string("nul\0inside", 10),
                                         " ",
                                         "Timer-"};
    for (const auto& name : names) {
        BOOST_TEST(Timer(name).name() == name);
        BOOST_TEST(Timer(name, true).name() == name);
        TimerOptions options;
        options.name = name;
        BOOST_TEST(Timer(options).name() == name);
    }
}

BOOST_AUTO_TEST_CASE(a_pointer_to_characters_is_a_name_and_never_the_daemon_flag) {
    std::array<char, 7> buffer{"backup"};
    BOOST_TEST(Timer("backup").name() == "backup");
    BOOST_TEST(Timer(buffer.data()).name() == "backup");
    BOOST_TEST(Timer(buffer.data(), true).name() == "backup");
}

CHILD_PROCESS(makes_timers_without_a_name) {
    const auto before = test::numberOfThreads();
    const auto attempt = [](auto... arguments) {
        try {
            Timer timer(static_cast<const char*>(nullptr), arguments...);
            test::print("accepted\n");
        } catch (const jtimer::NullPointerException& e) {
            test::print(std::string(e.what()) + '\n');
        }
    };
    attempt();
    attempt(true);
    attempt(false);
    test::print(std::to_string(test::numberOfThreads() - before) + " threads left\n");
}

BOOST_AUTO_TEST_CASE(j8_a_null_name_is_refused_and_leaves_no_thread_running) {
    test::needNumberOfThreads();
    const auto child = test::runChild("makes_timers_without_a_name");
    BOOST_TEST(child.out == "name cannot be null\nname cannot be null\nname cannot be null\n"
                            "0 threads left\n");
    BOOST_TEST(child.err == "");
    BOOST_TEST(child.exitCode == 0);
}

namespace {

/// Whether ~Timer runs what is due (not a daemon) or discards it. The first task stays until the
/// destructor has begun, the second is due behind it.
template <class... Arguments>
bool runsOutstandingTasks(Arguments... arguments) {
    std::optional<Timer> timer;
    timer.emplace(arguments...);
    bool ran = false;
    timer->schedule([&timer = *timer] { test::awaitClosed(timer); }, jtimer::Date{});
    timer->schedule([&ran] { ran = true; }, jtimer::Date{});
    timer.reset();
    return ran;
}

void checkDaemonFlags() {
    BOOST_TEST(runsOutstandingTasks());
    BOOST_TEST(runsOutstandingTasks("name"));
    BOOST_TEST(runsOutstandingTasks(std::string("name")));
    BOOST_TEST(runsOutstandingTasks(TimerOptions{}));
    BOOST_TEST(runsOutstandingTasks(false));
    BOOST_TEST(runsOutstandingTasks("name", false));
    BOOST_TEST(runsOutstandingTasks(std::string("name"), false));
    BOOST_TEST(!runsOutstandingTasks(true));
    BOOST_TEST(!runsOutstandingTasks("name", true));
    BOOST_TEST(!runsOutstandingTasks(std::string("name"), true));
    TimerOptions daemon;
    daemon.daemon = true;
    BOOST_TEST(!runsOutstandingTasks(daemon));
}

}  // namespace

BOOST_AUTO_TEST_CASE(j9_j10_a_timer_is_a_daemon_exactly_if_it_was_asked_to_be) {
    checkDaemonFlags();
}

BOOST_AUTO_TEST_CASE(j9_j10_a_timer_made_inside_a_task_is_a_daemon_exactly_if_it_was_asked_to_be) {
    Timer daemon("creator", true);
    onThreadOf(daemon, [] { return checkDaemonFlags(), true; });
    Timer other("creator", false);
    onThreadOf(other, [] { return checkDaemonFlags(), true; });
}

BOOST_AUTO_TEST_CASE(j11_all_tasks_of_a_timer_run_on_one_thread_and_never_two_at_a_time) {
    std::set<boost::thread::id> threads;  // unguarded: a second thread would be a data race as well
    std::atomic<int> running{0};
    std::atomic<int> most{0};
    int runs = 0;
    const auto task = [&] {
        most = std::max(most.load(), ++running);
        threads.insert(boost::this_thread::get_id());
        ++runs;
        boost::this_thread::yield();
        --running;
    };
    {
        Timer timer("j11");
        boost::thread_group callers;
        for (int i = 0; i < 4; ++i) {
            callers.create_thread([&] {
                for (int k = 0; k < 100; ++k) timer.schedule(task, k % 3);
            });
        }
        callers.join_all();
    }
    BOOST_TEST(most == 1);
    BOOST_TEST(runs == 400);
    BOOST_TEST(threads.size() == 1U);
}

BOOST_AUTO_TEST_CASE(j12_a_task_that_blocks_one_timer_does_not_delay_another) {
    Gate freed;
    Timer blocked("blocked");
    Timer free("free");
    blocked.schedule([&] { freed.wait(); }, 0);
    free.schedule([&] { freed.open(); }, 5);
    freed.wait();
}

BOOST_FIXTURE_TEST_CASE(j13_the_thread_waits_without_a_limit_exactly_while_the_queue_is_empty,
                        test::ManualTimer) {
    const auto cancelWhileTheThreadWaitsForIt = [this] {
        const auto task = timer.schedule([] {}, 10);
        clock->waitUntilIdle();
        task->cancel();
    };
    BOOST_TEST(!clock->advanceToNext());
    timer.schedule([] {}, 10);
    BOOST_TEST(clock->advanceToNext());
    BOOST_TEST(now() == 10);
    BOOST_TEST(!clock->advanceToNext());

    cancelWhileTheThreadWaitsForIt();
    BOOST_TEST(clock->advanceToNext());
    BOOST_TEST(now() == 20);
    BOOST_TEST(!clock->advanceToNext());

    cancelWhileTheThreadWaitsForIt();
    BOOST_TEST(timer.purge() == 1);
    BOOST_TEST(clock->advanceToNext());
    BOOST_TEST(now() == 30);
    BOOST_TEST(!clock->advanceToNext());
}

BOOST_FIXTURE_TEST_CASE(j13_the_thread_has_ended_after_cancel, test::ManualTimer) {
    const auto ended = test::threadEnd(timer);
    timer.schedule([] {}, 10);
    timer.cancel();
    ended->wait();
    BOOST_TEST(!clock->advanceToNext());
}

BOOST_AUTO_TEST_CASE(j14_an_idle_timer_and_one_with_far_tasks_use_no_cpu_and_never_wake_up) {
    test::needThreadStates();
    Timer idle("idle", true);
    Timer far("far", true);
    using JavaDate = std::chrono::time_point<std::chrono::system_clock, std::chrono::milliseconds>;
    far.schedule([] {}, JavaDate::max());
    far.schedule([] {}, 1h);
    far.scheduleAtFixedRate([] {}, 1h, 1ms);

    const ThreadMeter idleMeter(idle);
    const ThreadMeter farMeter(far);
    const Usage idleBefore = idleMeter.readAsleep();
    const Usage farBefore = farMeter.readAsleep();
    boost::this_thread::sleep_for(boost::chrono::milliseconds(300));
    const Usage idleAfter = idleMeter.read();
    const Usage farAfter = farMeter.read();
    BOOST_TEST(idleAfter.nanos == idleBefore.nanos);
    BOOST_TEST(idleAfter.switches == idleBefore.switches);
    BOOST_TEST(farAfter.nanos == farBefore.nanos);
    BOOST_TEST(farAfter.switches == farBefore.switches);
}

BOOST_AUTO_TEST_CASE(
    c10_a_thread_that_cannot_start_is_a_system_error_leaks_nothing_and_uses_up_a_number) {
    test::needThreadLimit();
    const auto serialNumber = [] { return std::stoi(Timer().name().substr(6)); };
    const auto clock = std::make_shared<jtimer::ManualClock>(test::kStart);
    TimerOptions options;
    options.clock = clock;
    options.uncaughtExceptionHandler = [clock](const std::string&, const std::exception_ptr&) {};
    const auto references = clock.use_count();
    const auto threads = test::numberOfThreads();

    const int before = serialNumber();
    {
        const test::NoMoreThreads scarcity;
        BOOST_CHECK_THROW(Timer{}, std::system_error);
        BOOST_CHECK_THROW(Timer{options}, std::system_error);
        BOOST_CHECK_THROW(Timer{"named"}, std::system_error);
        BOOST_CHECK_EXCEPTION(
            Timer("named", true), std::system_error, [](const std::system_error& e) {
                return e.code() == std::errc::resource_unavailable_try_again &&
                       std::string(e.what()).find("\"named\"") != std::string::npos;
            });
    }
    BOOST_TEST(serialNumber() == before + 3);
    BOOST_TEST(clock.use_count() == references);
    BOOST_TEST(!clock->advanceToNext());  // and it does not take part in the clock any more
    BOOST_TEST(test::numberOfThreads() <= threads);
}
