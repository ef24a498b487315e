// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "player.hpp"

#include "stage.hpp"
#include "thrown.hpp"
#include "uncaught_output.hpp"

#include <boost/chrono/duration.hpp>
#include <boost/thread/thread.hpp>

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace oracle {

namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

std::int64_t nowMillis() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

std::int64_t number(const std::string& word) {
    return word == "min" ? kMin : word == "max" ? kMax : std::stoll(word);
}

/// What "..." says.
std::string unquoted(const std::string& word) {
    std::string text;
    for (std::size_t i = 1; i + 1 < word.size(); ++i) {
        const bool newline = word[i] == '\\' && word[i + 1] == 'n';
        text += newline ? '\n' : word[i];
        if (newline) ++i;
    }
    return text;
}

std::string quoted(const std::string& text) {
    std::string word = "\"";
    for (const char c : text) word += c == '\n' ? std::string("\\n") : std::string(1, c);
    return word + '"';
}

/// The answer of a call that may throw what a Timer throws. Java has no text of its own for a null
/// task (C3): `explained` is false where that may come.
template <class Call>
std::string answerOf(const Call& call, bool explained = false) {
    try {
        return call();
    } catch (const jtimer::IllegalArgumentException& e) {
        return std::string("IllegalArgumentException: ") + e.what();
    } catch (const jtimer::IllegalStateException& e) {
        return std::string("IllegalStateException: ") + e.what();
    } catch (const jtimer::NullPointerException& e) {
        return explained ? std::string("NullPointerException: ") + e.what()
                         : std::string("NullPointerException");
    }
}

}  // namespace

void throwAs(const std::string& type, const std::string& text) {
    if (type == "RuntimeException") throw RuntimeException(text);
    if (type == "Exception") throw Exception(text);
    if (type == "Error") throw Error(text);
    if (type == "OutOfMemoryError") throw OutOfMemoryError(text);
    throw boost::thread_interrupted();  // C4: Java's InterruptedException
}

class Player {
  public:
    explicit Player(const Scenario& scenario) : program_(parse(scenario)) {
        for (const auto& [name, script] : program_.tasks) {
            stage_.tasks[name] = std::make_shared<PlayedTask>(*this, name, script);
        }
    }

    std::vector<std::string> play() {
        const UncaughtOutput uncaught(stage_);
        for (const Op& op : program_.ops) perform(op, nullptr);
        close();
        return stage_.lines;
    }

    void runTask(PlayedTask& task);
    void noteCancel() { stage_.say("  cancel() was called"); }

  private:
    void perform(const Op& op, PlayedTask* running);
    std::string answer(const Op& op);
    std::string construct(const Op& op);
    std::string schedule(const Op& op);
    std::string callSchedule(const Op& op, const std::shared_ptr<PlayedTask>& task);
    std::string cancel(const std::string& name);
    std::string runByHand(PlayedTask& task);
    bool control(const Op& op, PlayedTask* running);
    void hold(PlayedTask& task);
    void release(PlayedTask& task);
    void held(PlayedTask& task);
    void ran(PlayedTask& task, int times);
    void sendSentinel(PlayedTimer& timer);
    void join(PlayedTimer& timer);
    void close();
    void await(const std::function<bool()>& condition);

    jtimer::When whenOf(const std::vector<std::string>& args) const;
    std::string shownTime(const PlayedTask& task) const;
    std::string shownName(const std::string& name, bool isDefault);

    const Program program_;
    const std::int64_t start_ = nowMillis();
    std::optional<int> firstSerialNumber_;
    Stage stage_;
};

Transcript play(const Scenario& scenario) { return {scenario.name, Player(scenario).play()}; }

void PlayedTask::run() { player_.runTask(*this); }

bool PlayedTask::cancel() {
    if (!script.deaf) return TimerTask::cancel();
    player_.noteCancel();
    return false;
}

void Player::runTask(PlayedTask& task) {
    constexpr int tooMany = 1000;
    struct Finally {
        Stage& stage;
        PlayedTask& task;
        ~Finally() {
            const boost::unique_lock<boost::mutex> lock(stage.mutex);
            ++task.over;
            stage.changed.notify_all();
        }
    } const finally{stage_, task};

    const int run = ++task.begun;
    task.timer = currentTimer();
    const std::string where =
        task.timer == nullptr ? "by hand" : "in " + nameOfThisThread(*task.timer);
    stage_.say(task.name + " runs, " + std::to_string(run) + ", " + shownTime(task) + ", " + where);
    for (const Step& step : task.script.steps) {
        if (step.run == 0 || step.run == run) perform(step.op, &task);
    }
    if (run == tooMany) throw std::runtime_error("too many runs");
}

/// \param running the task inside of whose run this happens, or null
void Player::perform(const Op& op, PlayedTask* running) {
    const std::string text = (running == nullptr ? "" : "  ") + op.text;
    if (op.verb == "throw") {
        stage_.say(text);
        throwAs(op.args[0], unquoted(op.args[1]));
    }
    std::string result;
    const auto act = [&] { result = answer(op); };
    if (control(op, running)) return;
    if (op.onThread) {
        boost::thread([&, timer = voice()] {
            voice() = timer;
            act();
        }).join();
    } else {
        act();
    }
    stage_.say(text + " => " + result);
}

// Calls.

std::string Player::answer(const Op& op) {
    const std::string& name = op.args[0];
    if (op.verb == "timer") return construct(op);
    if (op.verb == "cancel") return cancel(name);
    if (op.verb == "purge") {
        PlayedTimer* const timer = stage_.findTimer(name);
        return timer == nullptr ? "no such timer" : std::to_string(timer->timer->purge());
    }
    if (op.verb == "schedule" || op.verb == "scheduleAtFixedRate") return schedule(op);
    const std::shared_ptr<PlayedTask> task = stage_.findTask(name);
    if (task == nullptr) return "no such task";
    if (op.verb == "setPeriod") {
        return answerOf([&] {
            task->setPeriod(number(op.args[1]));
            return std::string("ok");
        });
    }
    return op.verb == "run" ? runByHand(*task) : shownTime(*task);
}

std::string Player::construct(const Op& op) {
    const std::string last = op.args.back();
    const bool named = op.args.size() > 2;
    const std::string name = named ? unquoted(op.args[2]) : "";
    const char* const chars = named && op.args[2] == "null" ? nullptr : name.c_str();
    auto timer = std::make_unique<PlayedTimer>();
    timer->name = op.args[0];
    const std::string result = answerOf(
        [&] {
            const bool flagged = last == "daemon" || last == "user";
            const bool isDaemon = last == "daemon";
            timer->timer = named && flagged ? std::make_unique<jtimer::Timer>(chars, isDaemon)
                           : named          ? std::make_unique<jtimer::Timer>(chars)
                           : flagged        ? std::make_unique<jtimer::Timer>(isDaemon)
                                            : std::make_unique<jtimer::Timer>();
            return std::string();
        },
        true);
    if (timer->timer == nullptr) return result;

    PlayedTimer& played = *timer;
    played.shownName = shownName(played.timer->name(), !named);
    {
        const boost::unique_lock<boost::mutex> lock(stage_.mutex);
        if (!stage_.timers.emplace(played.name, std::move(timer)).second) return "a second one";
        stage_.inOrder.push_back(&played);
    }
    played.timer->schedule([&] { enterThreadOf(stage_, played); }, jtimer::Date{});
    await([&] { return played.started; });
    return played.shownName;
}

/// Default names count from the first of the scenario: the process has played others before.
std::string Player::shownName(const std::string& name, bool isDefault) {
    const std::string head = "Timer-";
    if (!isDefault || name.compare(0, head.size(), head) != 0) return quoted(name);
    const int serialNumber = std::stoi(name.substr(head.size()));
    if (!firstSerialNumber_) firstSerialNumber_ = serialNumber;
    return quoted(head + std::to_string(serialNumber - *firstSerialNumber_));
}

std::string Player::schedule(const Op& op) {
    const std::shared_ptr<PlayedTask> task = stage_.findTask(op.args[1]);
    if (task == nullptr && op.args[1] != "null") return "no such task";
    if (stage_.findTimer(op.args[0]) == nullptr) return "no such timer";
    if (task == nullptr) return callSchedule(op, task);

    // Set first, as the task may run before the call returns.
    const auto before = std::pair(task->anchor, task->fixedDelay);
    task->anchor = op.args[2] == "delay"  ? Anchor::Now
                   : op.args[3][0] == '@' ? Anchor::Epoch
                                          : Anchor::Start;
    task->fixedDelay = op.verb == "schedule" && op.args.size() > 4;
    const std::string result = callSchedule(op, task);
    if (result != "ok") std::tie(task->anchor, task->fixedDelay) = before;
    return result;
}

std::string Player::callSchedule(const Op& op, const std::shared_ptr<PlayedTask>& task) {
    jtimer::Timer& timer = *stage_.findTimer(op.args[0])->timer;
    const jtimer::When when = whenOf(op.args);
    return answerOf([&] {
        std::shared_ptr<jtimer::TimerTask> handle;
        if (op.args.size() == 4) {
            handle = timer.schedule(task, when);
        } else if (op.verb == "schedule") {
            handle = timer.schedule(task, when, number(op.args[5]));
        } else {
            handle = timer.scheduleAtFixedRate(task, when, number(op.args[5]));
        }
        return std::string(handle == task ? "ok" : "ok, but it answers another task");
    });
}

/// The time that follows the names of the timer and the task.
jtimer::When Player::whenOf(const std::vector<std::string>& args) const {
    constexpr std::int64_t minute = 60'000;
    const std::string& word = args[3];
    if (args[2] == "delay") {
        if (word == "farthest") return kMax - nowMillis() - minute;
        if (word == "toofar") return kMax - nowMillis() + minute;
        return number(word);
    }
    using Millis = std::chrono::milliseconds;
    using Point = std::chrono::time_point<std::chrono::system_clock, Millis>;
    if (word[0] == '@') return Point(Millis(number(word.substr(1))));
    return Point(Millis(start_ + number(word)));
}

std::string Player::cancel(const std::string& name) {
    if (PlayedTimer* const timer = stage_.findTimer(name)) {
        timer->timer->cancel();
        return "ok";
    }
    const std::shared_ptr<PlayedTask> task = stage_.findTask(name);
    if (task == nullptr) return "no such timer or task";
    return task->cancel() ? "true" : "false";
}

std::string Player::runByHand(PlayedTask& task) {
    try {
        task.run();
    } catch (const std::runtime_error& e) {
        return std::string("threw ") + e.what();
    } catch (const boost::thread_interrupted&) {
        return "threw InterruptedException";
    }
    return "ok";
}

/// What the task answers, as far as it is certain.
std::string Player::shownTime(const PlayedTask& task) const {
    constexpr std::int64_t minute = 60'000;  // no scenario takes that long
    const std::int64_t millis = task.scheduledExecutionTime();
    const bool atFiring = task.fixedDelay && task.begun > 0;
    const auto signedText = [](std::int64_t n) { return (n < 0 ? "" : "+") + std::to_string(n); };
    switch (atFiring ? Anchor::Now : task.anchor) {
    case Anchor::Never:
    case Anchor::Epoch:
        return std::to_string(millis);
    case Anchor::Start:
        return signedText(millis - start_);
    case Anchor::Now:
        break;
    }
    const std::int64_t sinceStart = millis - start_;
    const std::int64_t rest = ((sinceStart % minute) + minute) % minute;
    return "now" + signedText(sinceStart - rest);
}

// Holding and waiting.

void Player::await(const std::function<bool()>& condition) {
    if (!stage_.await(condition)) stage_.say("(waited in vain)");
}

/// \returns whether the operation is one of these
bool Player::control(const Op& op, PlayedTask* running) {
    static const std::vector<std::string> verbs{"hold", "held", "release", "join", "ran", "sleep"};
    if (std::find(verbs.begin(), verbs.end(), op.verb) == verbs.end()) return false;
    stage_.say((running == nullptr ? "" : "  ") + op.text);
    if (op.verb == "hold") {
        hold(*running);
    } else if (op.verb == "sleep") {
        boost::this_thread::sleep_for(boost::chrono::milliseconds(number(op.args[0])));
    } else if (op.verb == "join") {
        if (PlayedTimer* const timer = stage_.findTimer(op.args[0])) join(*timer);
    } else if (const std::shared_ptr<PlayedTask> task = stage_.findTask(op.args[0])) {
        if (op.verb == "held") held(*task);
        if (op.verb == "release") release(*task);
        if (op.verb == "ran") ran(*task, std::stoi(op.args[1]));
    }
    return true;
}

void Player::hold(PlayedTask& task) {
    {
        const boost::unique_lock<boost::mutex> lock(stage_.mutex);
        task.holding = true;
        stage_.changed.notify_all();
    }
    await([&] { return task.released || stage_.closing; });
    const boost::unique_lock<boost::mutex> lock(stage_.mutex);
    task.holding = false;
}

void Player::release(PlayedTask& task) {
    // Now, as its place among ties must not depend on how far the thread has got.
    boost::unique_lock<boost::mutex> lock(stage_.mutex);
    const bool holding = task.holding;
    lock.unlock();
    if (holding) sendSentinel(*task.timer);
    lock.lock();
    task.released = true;
    stage_.changed.notify_all();
}

void Player::held(PlayedTask& task) {
    if (task.anchor == Anchor::Never) return;  // its timer has refused it
    await([&] { return task.holding; });
    if (task.timer != nullptr) stage_.show(*task.timer);
}

void Player::ran(PlayedTask& task, int times) {
    await([&] { return task.over >= times; });
    if (task.timer != nullptr) stage_.show(*task.timer);
}

/// Schedules the task whose run tells that all that was due has run.
void Player::sendSentinel(PlayedTimer& timer) {
    constexpr std::int64_t sentinelTime = -60'000;  // README.md: nothing due is later
    const auto ran = std::make_shared<bool>(false);
    const std::chrono::milliseconds when(start_ + sentinelTime);
    try {
        timer.timer->schedule(
            [this, ran] {
                const boost::unique_lock<boost::mutex> lock(stage_.mutex);
                *ran = true;
                stage_.changed.notify_all();
            },
            jtimer::Date(when));
        timer.sentinel = ran;
    } catch (const jtimer::IllegalStateException&) {
        // Then the thread ends, which is as good.
    }
}

/// Waits until the timer has run what was due, or its thread has ended.
void Player::join(PlayedTimer& timer) {
    if (timer.sentinel == nullptr) sendSentinel(timer);
    const std::shared_ptr<bool> ran = std::move(timer.sentinel);
    await([&] { return timer.ended || (ran != nullptr && *ran); });
    stage_.show(timer);
}

/// The scenario is over. One timer after another, as their tasks may know each other.
void Player::close() {
    for (PlayedTimer* const timer : stage_.inOrder) {
        for (const auto& [name, task] : stage_.tasks) {
            if (task->timer == timer) release(*task);
        }
        join(*timer);
    }
    {
        const boost::unique_lock<boost::mutex> lock(stage_.mutex);
        stage_.closing = true;
        stage_.changed.notify_all();
    }
    for (PlayedTimer* const timer : stage_.inOrder) timer->timer->cancel();
    for (PlayedTimer* const timer : stage_.inOrder) timer->timer.reset();
}

}  // namespace oracle
