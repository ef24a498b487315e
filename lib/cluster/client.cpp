// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/client.hpp"

#include "cluster/checks.hpp"
#include "cluster/schedule_access.hpp"

#include <jtimer/clock.hpp>
#include <jtimer/cluster/exceptions.hpp>
#include <jtimer/exceptions.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <new>
#include <set>
#include <utility>

namespace jtimer::cluster::detail {

namespace {

constexpr int kMaxConnections = 4;
constexpr auto kIdle = std::chrono::minutes(1);
constexpr auto kBetweenNotifications = std::chrono::milliseconds(20);

/// How long from now a task may be due. A Date may be compared with this computer's clock here,
/// because nothing but a notification depends on it.
Micros dueIn(const When& when) {
    if (!when.isDate()) return toMicros(when);
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return toMicros(when) - std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

Micros dueIn(const NewTask& task) {
    // The next due of a cron task is whole seconds away, where a poll is as good.
    if (ScheduleAccess::kind(task.schedule) == Kind::Cron) return 0;
    return dueIn(ScheduleAccess::first(task.schedule));
}

}  // namespace

Client::Client(const Options& options, std::function<void()> wakeNode)
    : options_(options), wakeNode_(std::move(wakeNode)) {}

Client::~Client() = default;

std::unique_ptr<Store> Client::take() {
    boost::mutex::scoped_lock lock(mutex_);
    const auto end = Clock::now() + std::chrono::microseconds(std::min<Micros>(
                                        toMicros(options_.operationTimeout), 86'400'000'000));
    while (idle_.empty() && borrowed_ == kMaxConnections) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
        if (left <= 0) throw DatabaseException("All connections of the Scheduler are in use");
        freed_.wait_for(lock, boost::chrono::milliseconds(left));
    }
    std::unique_ptr<Store> store;
    if (idle_.empty()) {
        store = std::make_unique<Store>(options_);
    } else {
        store = std::move(idle_.back().store);
        idle_.pop_back();
    }
    ++borrowed_;
    return store;
}

void Client::giveBack(std::unique_ptr<Store> store) noexcept {
    {
        boost::mutex::scoped_lock lock(mutex_);
        --borrowed_;
        try {
            idle_.push_back({std::move(store), Clock::now()});
        } catch (const std::bad_alloc&) {
            // The connection is closed.
        }
        if (!closing_) closeLater(lock, kIdle);
    }
    freed_.notify_one();
}

Timer& Client::timer(boost::mutex::scoped_lock&) {
    if (!timer_) {
        timer_ = std::make_unique<Timer>("jtimer.cluster", true, std::make_shared<BoottimeClock>());
    }
    return *timer_;
}

void Client::closeLater(boost::mutex::scoped_lock& lock, Clock::duration delay) noexcept {
    try {
        timer(lock).schedule([this] { closeIdle(); },
                             std::max<Clock::duration>(delay, std::chrono::milliseconds(1)));
        closing_ = true;
    } catch (...) {
        // No memory or thread, or the Client is being destroyed: a later call tries again.
    }
}

/// Closes connections that have been idle for a minute, and comes again if there are others.
void Client::closeIdle() {
    std::vector<Idle> closed;
    boost::mutex::scoped_lock lock(mutex_);
    const auto fresh = std::find_if(idle_.begin(), idle_.end(), [](const Idle& each) {
        return Clock::now() - each.since < kIdle;
    });
    std::move(idle_.begin(), fresh, std::back_inserter(closed));
    idle_.erase(idle_.begin(), fresh);
    closing_ = false;
    if (!idle_.empty()) closeLater(lock, idle_.front().since + kIdle - Clock::now());
    lock.unlock();  // closing a connection may take a while
}

template <class Use>
auto Client::with(const Use& use) {
    struct Borrowed {
        Client& client;
        std::unique_ptr<Store> store;
        ~Borrowed() { client.giveBack(std::move(store)); }
    };
    const Borrowed borrowed{*this, take()};
    return use(*borrowed.store);
}

std::size_t Client::schedule(const std::vector<NewTask>& tasks) {
    std::set<std::pair<std::string, std::string>> keys;
    Micros first = kNeverDue;
    for (const NewTask& task : tasks) {
        check(task);
        if (!keys.emplace(task.name, task.id).second) {
            throw IllegalArgumentException("Two tasks have the name \"" + task.name +
                                           "\" and the id \"" + task.id + "\"");
        }
        first = std::min(first, dueIn(task));
    }
    const std::size_t changed = with([&](Store& store) { return store.schedule(tasks); });
    if (changed != 0) written(first);
    return changed;
}

bool Client::scheduleIn(pg_conn* transaction, const NewTask& task) {
    check(task);
    if (transaction == nullptr) throw NullPointerException("transaction cannot be null");
    // It only needs the schema's name, and connects to nothing.
    return Store(options_).scheduleIn(transaction, {task}) != 0;
}

bool Client::cancel(const std::string& name, const std::string& id) {
    checkKey(name, id);
    return with([&](Store& store) { return store.cancel(name, id); });
}

bool Client::reschedule(const std::string& name, const std::string& id, When when) {
    checkKey(name, id);
    checkWhen(when);
    const bool changed = with([&](Store& store) { return store.reschedule(name, id, when); });
    if (changed) written(dueIn(when));
    return changed;
}

std::optional<TaskInfo> Client::find(const std::string& name, const std::string& id) {
    checkKey(name, id);
    return with([&](Store& store) { return store.find(name, id); });
}

std::vector<TaskInfo> Client::list(const Filter& filter) {
    if (filter.name) checkKey("name", *filter.name);
    return with([&](Store& store) { return store.list(filter); });
}

Backlog Client::backlog() {
    return with([&](Store& store) { return store.backlog(); });
}

void Client::wakeUp() {
    wakeNode_();
    with([&](Store& store) { return store.notify(), true; });
}

/// A task that is due so late that a poll finds it in time is not worth a notification.
void Client::written(Micros dueIn) {
    if (dueIn > toMicros(options_.pollInterval)) return;
    wakeNode_();
    notifyNodes();
}

/// Notifications are a courtesy: tasks are found without them. Not sent by the calling thread,
/// which may be a node's and need not wait.
void Client::notifyNodes() noexcept {
    try {
        boost::mutex::scoped_lock lock(mutex_);
        if (notifying_) return;
        const auto left = notified_ + kBetweenNotifications - Clock::now();
        timer(lock).schedule([this] { notify(); }, std::max(left, Clock::duration::zero()));
        notifying_ = true;
    } catch (...) {
        // No memory or thread, or the Client is being destroyed.
    }
}

void Client::notify() noexcept {
    try {
        {
            const boost::mutex::scoped_lock lock(mutex_);
            notifying_ = false;
            notified_ = Clock::now();
        }
        with([&](Store& store) { return store.notify(), true; });
    } catch (...) {
        // The database is away: whoever calls next is told.
    }
}

}  // namespace jtimer::cluster::detail
