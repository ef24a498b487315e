// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A task that removes sessions that have been idle for too long, ported line by line from
// SessionScavenger.java: on a timer of the manager's own, or on one that managers share. What
// differs:
//
// - `timer = null` under the lock would wait for a running scavenge(), which wants the lock. The
//   pointer moves into a local variable declared before the guard.
// - On a shared timer scavenge() may be running when stop() returns. So the task, an anonymous
//   class in Java, is a lambda with a weak reference to the manager; never `[this]` or `[&]`.

#include <jtimer/jdk/make_task.hpp>
#include <jtimer/timer.hpp>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using jtimer::Timer;
using jtimer::TimerTask;
using std::chrono::milliseconds;
using std::chrono::system_clock;

struct Session {
    std::string id;
    milliseconds maxIdle;
    jtimer::Date accessed = system_clock::now();
};

class SessionManager : public std::enable_shared_from_this<SessionManager> {
    const std::function<void(const std::string&)> listener;
    std::recursive_mutex monitor;
    std::condition_variable_any removed;
    std::map<std::string, Session> sessions;
    milliseconds scavengePeriod{30'000};
    std::shared_ptr<Timer> timer;
    bool stopsTimer = false;
    std::shared_ptr<TimerTask> task;

  public:
    explicit SessionManager(std::function<void(const std::string&)> onExpiry)
        : listener(std::move(onExpiry)) {}

    void start(const std::shared_ptr<Timer>& sharedTimer) {
        const std::lock_guard lock(monitor);
        timer = sharedTimer;
        stopsTimer = false;
        if (timer == nullptr) {
            timer = std::make_shared<Timer>("SessionScavenger", true);
            stopsTimer = true;
        }
        setScavengePeriod(scavengePeriod);
    }

    void setScavengePeriod(milliseconds period) {
        const std::lock_guard lock(monitor);
        scavengePeriod = period;
        if (timer == nullptr) return;
        if (task != nullptr) task->cancel();
        task = jtimer::makeTask([outer = weak_from_this()] {
            if (const auto manager = outer.lock()) manager->scavenge();
        });
        timer->schedule(task, scavengePeriod, scavengePeriod);
    }

    void stop() {
        std::shared_ptr<Timer> dropped;  // destroyed after the lock is released
        const std::lock_guard lock(monitor);
        if (task != nullptr) task->cancel();
        task = nullptr;
        if (stopsTimer) timer->cancel();
        dropped = std::move(timer);
        for (const auto& session : sessions) std::cout << session.first << ": invalidated\n";
        sessions.clear();
    }

    void addSession(const std::string& id, milliseconds maxIdle) {
        const std::lock_guard lock(monitor);
        sessions.insert_or_assign(id, Session{id, maxIdle});
    }

    void awaitSessions(std::size_t count) {
        std::unique_lock lock(monitor);
        while (sessions.size() != count) removed.wait(lock);
    }

  private:
    void scavenge() {
        std::vector<Session> stale;
        {
            const std::lock_guard lock(monitor);
            const jtimer::Date now = system_clock::now();
            for (const auto& [id, session] : sessions) {
                if (session.accessed + session.maxIdle < now) stale.push_back(session);
            }
        }
        for (const Session& session : stale) {
            try {
                listener(session.id);
            } catch (const std::runtime_error& e) {
                std::cout << session.id << ": " << e.what() << '\n';
            }
            {
                const std::lock_guard lock(monitor);
                sessions.erase(session.id);
                removed.notify_all();
            }
        }
    }
};

int main() {
    using namespace std::chrono_literals;

    const auto listener = [](const std::string& id) {
        if (id == "mallory") throw std::runtime_error("who is mallory?");
        std::cout << id << ": expired\n";
    };

    const auto own = std::make_shared<SessionManager>(listener);
    own->start(nullptr);
    own->setScavengePeriod(20ms);
    own->addSession("alice", 50ms);
    own->addSession("bob", 1h);
    own->awaitSessions(1);
    own->stop();
    own->start(nullptr);
    own->addSession("carol", 50ms);
    own->awaitSessions(0);
    own->stop();

    const auto shared = std::make_shared<Timer>("shared", true);
    const auto first = std::make_shared<SessionManager>(listener);
    const auto second = std::make_shared<SessionManager>(listener);
    first->setScavengePeriod(20ms);
    second->setScavengePeriod(20ms);
    first->start(shared);
    second->start(shared);
    first->addSession("dave", 50ms);
    first->awaitSessions(0);
    first->stop();
    second->addSession("mallory", 50ms);  // the shared timer goes on, and survives a listener
    second->awaitSessions(0);
    second->addSession("erin", 50ms);
    second->awaitSessions(0);
    second->stop();
    shared->cancel();
    std::cout << "all stopped\n";
}
