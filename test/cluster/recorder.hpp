// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/failpoint.hpp"

#include <boost/thread/condition_variable.hpp>
#include <boost/thread/lock_guard.hpp>
#include <boost/thread/lock_types.hpp>
#include <boost/thread/mutex.hpp>
#include <boost/thread/thread.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace test {

/// A statement that was about to leave for the server.
struct Sent {
    std::string name;  ///< a function in statements.hpp, "connect" and so on; empty: not prepared
    int socket;
    boost::thread::id thread;
};

/// Records what this process sends to its servers, and can hold up one statement. Construct it
/// before every Scheduler and Store, and destroy it after them.
class Recorder {
  public:
    Recorder() {
        jtimer::cluster::detail::setFailpoint([this](const char* name, bool before, int socket) {
            if (before) return leaves({name, socket, boost::this_thread::get_id()});
            if (!awaited_.empty() && awaited_ == name) onAnswer_();
        });
    }
    ~Recorder() { jtimer::cluster::detail::setFailpoint({}); }
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    std::vector<Sent> sent() const {
        const boost::lock_guard<boost::mutex> lock(mutex_);
        return sent_;
    }

    std::size_t count(const std::string& name) const {
        const boost::lock_guard<boost::mutex> lock(mutex_);
        return countLocked(name);
    }

    void await(const std::string& name, std::size_t count) const {
        boost::unique_lock<boost::mutex> lock(mutex_);
        while (countLocked(name) < count) condition_.wait(lock);
    }

    /// The next statements with this name do not leave before release().
    void hold(const std::string& name) {
        const boost::lock_guard<boost::mutex> lock(mutex_);
        held_ = name;
        holds_ = true;
    }

    void release() {
        const boost::lock_guard<boost::mutex> lock(mutex_);
        holds_ = false;
        condition_.notify_all();
    }

    /// Calls the function, with no lock held, when the answer to such a statement has arrived. Call
    /// it while no Store and no Scheduler is in use.
    void onAnswer(const std::string& name, std::function<void()> function) {
        awaited_ = name;
        onAnswer_ = std::move(function);
    }

  private:
    void leaves(Sent sent) {
        boost::unique_lock<boost::mutex> lock(mutex_);
        sent_.push_back(sent);
        condition_.notify_all();
        while (holds_ && held_ == sent.name) condition_.wait(lock);
    }

    std::size_t countLocked(const std::string& name) const {
        return static_cast<std::size_t>(std::count_if(
            sent_.begin(), sent_.end(), [&](const Sent& each) { return each.name == name; }));
    }

    std::string awaited_;
    std::function<void()> onAnswer_;
    mutable boost::mutex mutex_;  ///< guards the following
    mutable boost::condition_variable condition_;
    std::vector<Sent> sent_;
    std::string held_;
    bool holds_ = false;
};

}  // namespace test
