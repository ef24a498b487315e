// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/runtime.hpp"

#include "cluster/checks.hpp"
#include "cluster/micros.hpp"
#include "cluster/reports.hpp"

#include <jtimer/clock.hpp>
#include <jtimer/exceptions.hpp>
#include <jtimer/timer_options.hpp>

#include <boost/thread/lock_guard.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

namespace jtimer::cluster::detail {

namespace {

constexpr Micros kPatience = 5'000'000;

/// A hundred years: what is longer cannot be added to every clock.
constexpr Micros kLongestWait = 3'155'760'000'000'000;

/// Of all local waits. It also counts the time for which the computer sleeps: leases do.
TimerOptions timerOptions(const std::string& name) {
    TimerOptions options;
    options.name = name;
    options.daemon = true;
    options.removeOnCancel = true;
#if defined(__linux__)
    options.clock = std::make_shared<BoottimeClock>();
#else
    options.clock = std::make_shared<SteadyClock>();
#endif
    return options;
}

}  // namespace

/// The parts of a started node. They know each other only by the functions that they are given
/// here. When its destructor begins, the dispatcher has drained or was never started, so no run and
/// no end is left. First all threads end, as they set alarms of the timer; then the timer, as its
/// tasks call the parts.
struct Runtime::Engine {
    Engine(const Options& options, const Registry& registry, Counters& counters,
           const std::function<void()>& notify)
        : outage(*options.name), timer(std::make_unique<Timer>(timerOptions(*options.name))),
          node(options, *options.name, *timer, outage, counters,
               {[this] { dispatcher.lookForTasks(); }, [this] { dispatcher.releaseLostClaims(); }}),
          ends(options, *timer, outage, counters,
               {[this](Token token) { dispatcher.written(token); },
                [this, notify](bool soon) {
                    dispatcher.lookForTasks();
                    if (soon) notify();
                },
                [this](const std::string& failure) { dispatcher.report(failure); }}),
          dispatcher(options, *options.name, registry, *timer, outage, counters, node, ends,
                     [this] { node.end(); }) {
        if (!options.notifyConninfo.empty() && options.notifications)
            listener.emplace(options, *timer, outage, counters,
                             [this] { dispatcher.lookForTasks(); });
    }

    void start() {
        dispatcher.connect();
        ends.start();
        if (listener.has_value()) listener->start();
        node.start();
        dispatcher.start();
    }

    ~Engine() {
        if (listener.has_value()) listener->join();
        node.end();
        node.join();
        ends.join();
        dispatcher.join();
        timer.reset();
    }

    Outage outage;
    std::unique_ptr<Timer> timer;
    Node node;
    EndWriter ends;
    Dispatcher dispatcher;
    std::optional<Listener> listener;
};

Runtime::Runtime(const Options& options, std::function<void()> notify)
    : options_(options), notify_(std::move(notify)) {}

Runtime::~Runtime() {
    const std::shared_ptr<Engine> engine = this->engine();
    if (engine == nullptr) return;
    if (stop(std::chrono::microseconds(kPatience))) return;
    printLine("Scheduler \"" + *options_.name +
              "\" waits for its tasks: " + engine->dispatcher.runningTasks());
    stop(std::nullopt);
}

std::shared_ptr<Runtime::Engine> Runtime::engine() const {
    const boost::lock_guard<boost::mutex> lock(mutex_);
    return engine_;
}

void Runtime::registerTask(std::string name, Handler handler, TaskOptions options) {
    checkKey("name", name);
    if (!handler) throw NullPointerException("handler cannot be null");
    check(options);
    const boost::lock_guard<boost::mutex> lock(mutex_);
    if (state_ != State::New) throw IllegalStateException("Tasks are registered before start().");
    if (registry_.count(name) > 0)
        throw IllegalArgumentException("Task \"" + name + "\" is registered already.");
    registry_.emplace(std::move(name), Registered{std::move(handler), options});
}

void Runtime::start() {
    {
        const boost::lock_guard<boost::mutex> lock(mutex_);
        if (state_ == State::Stopped) throw IllegalStateException("Scheduler already stopped.");
        if (state_ != State::New) throw IllegalStateException("Scheduler already started.");
        state_ = State::Starting;
    }
    std::shared_ptr<Engine> engine;
    try {
        engine = std::make_shared<Engine>(options_, registry_, counters_, notify_);
        engine->start();
    } catch (...) {
        engine.reset();
        const boost::lock_guard<boost::mutex> lock(mutex_);
        state_ = State::New;
        throw;
    }
    const boost::lock_guard<boost::mutex> lock(mutex_);
    state_ = State::Started;
    engine_ = std::move(engine);
}

bool Runtime::stop(std::optional<TimeSpan> wait) {
    std::shared_ptr<Engine> engine;
    {
        const boost::lock_guard<boost::mutex> lock(mutex_);
        if (state_ == State::Starting)
            throw IllegalStateException("The scheduler is being started.");
        if (engine_ != nullptr && engine_->dispatcher.isInHandler())
            throw IllegalStateException("A handler cannot wait for its own end.");
        state_ = State::Stopped;
        engine = engine_;
    }
    if (engine == nullptr) return true;
    engine->dispatcher.stop();
    const std::int64_t begin = boottimeNanos();
    const std::optional<Micros> limit =
        wait.has_value()
            ? std::optional<Micros>(std::clamp<Micros>(toMicros(*wait), 0, kLongestWait))
            : std::nullopt;
    if (!engine->dispatcher.waitUntilDrained(limit)) return false;
    // Every run is over, which is what counts; the node's row only disappears earlier for this.
    const Micros left = limit.value_or(kPatience) - (boottimeNanos() - begin) / 1000;
    engine->node.waitUntilEnded(std::max<Micros>(0, left));
    return true;
}

void Runtime::wakeUp() {
    if (const std::shared_ptr<Engine> engine = this->engine()) engine->dispatcher.lookForTasks();
}

Stats Runtime::stats() const {
    Stats stats = counters_.read();
    if (const std::shared_ptr<Engine> engine = this->engine()) engine->dispatcher.countRuns(stats);
    return stats;
}

}  // namespace jtimer::cluster::detail
