// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "workload.hpp"

#include <Poco/Util/Timer.h>
#include <Poco/Util/TimerTask.h>
#include <Poco/Version.h>

// Poco::Util::Timer: java.util.Timer once more. One thread, and a multimap by time, behind a lock;
// cancel() only sets a flag, and there is no purge().

namespace {

class Task : public Poco::Util::TimerTask {
  public:
    Task(peers::Function function, void* argument) : function_(function), argument_(argument) {}
    void run() override { function_(argument_); }

  private:
    peers::Function function_;
    void* argument_;
};

class PocoAdapter : public peers::Threaded {
  public:
    static std::string version() {
        return "Poco " + std::to_string(POCO_VERSION >> 24) + '.' +
               std::to_string(POCO_VERSION >> 16 & 0xff) + '.' +
               std::to_string(POCO_VERSION >> 8 & 0xff);
    }

    using Handle = Poco::Util::TimerTask::Ptr;

    Handle schedule(std::int64_t delay, peers::Function function, void* argument) {
        return scheduleAt(peers::now() + delay, function, argument);
    }

    // Poco's clock has microseconds; its schedule() for a delay knows only milliseconds.
    Handle scheduleAt(std::int64_t time, peers::Function function, void* argument) {
        Handle task(new Task(function, argument));
        timer_.schedule(task, Poco::Clock(time / 1000));
        return task;
    }

    static void cancel(Handle& task) { task->cancel(); }

    void scheduleAtFixedRate(std::int64_t delay, std::int64_t period, peers::Function function,
                             void* argument) {
        timer_.scheduleAtFixedRate(new Task(function, argument),
                                   static_cast<long>(delay / peers::kMillisecond),
                                   static_cast<long>(period / peers::kMillisecond));
    }

  private:
    Poco::Util::Timer timer_;
};

}  // namespace

int main(int argc, char** argv) { return peers::runPeer<PocoAdapter>(argc, argv); }
