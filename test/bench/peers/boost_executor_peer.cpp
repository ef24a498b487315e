// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// Its executors are there for these only. It is this peer's alone: jtimer uses Boost as it comes.
#define BOOST_THREAD_VERSION 4
#define BOOST_THREAD_PROVIDES_EXECUTORS

#include "workload.hpp"

#include <boost/thread/executors/scheduled_thread_pool.hpp>
#include <boost/version.hpp>

// Boost.Thread's own scheduled executor, with one thread. It cannot cancel, and knows no periods: a
// task with a fixed rate submits itself again.

namespace {

namespace chrono = boost::chrono;

class BoostExecutorAdapter : public peers::Threaded {
  public:
    static constexpr bool kCancels = false;
    static std::string version() { return "Boost.Thread " BOOST_LIB_VERSION; }

    struct Handle {};

    Handle schedule(std::int64_t delay, peers::Function function, void* argument) {
        pool_.submit_after([function, argument] { function(argument); },
                           chrono::nanoseconds(delay));
        return {};
    }

    Handle scheduleAt(std::int64_t time, peers::Function function, void* argument) {
        pool_.submit_at([function, argument] { function(argument); },
                        chrono::steady_clock::time_point(chrono::nanoseconds(time)));
        return {};
    }

    void scheduleAtFixedRate(std::int64_t delay, std::int64_t period, peers::Function function,
                             void* argument) {
        submit({this, chrono::steady_clock::now() + chrono::nanoseconds(delay),
                chrono::nanoseconds(period), function, argument});
    }

  private:
    struct Repeating {
        BoostExecutorAdapter* adapter;
        chrono::steady_clock::time_point due;
        chrono::nanoseconds period;
        peers::Function function;
        void* argument;

        void operator()() {
            function(argument);
            due += period;
            adapter->submit(*this);
        }
    };

    void submit(const Repeating& task) { pool_.submit_at(Repeating(task), task.due); }

    boost::executors::scheduled_thread_pool pool_{1};
};

}  // namespace

int main(int argc, char** argv) { return peers::runPeer<BoostExecutorAdapter>(argc, argv); }
