// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "workload.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/version.hpp>

#include <chrono>
#include <utility>

// Asio's steady_timer, one thread in the io_context. A timer that is cancelled leaves the heap at
// once, and its handler is run with an error. Two things are as Asio's documentation advises for
// speed: the concurrency hint says that one thread runs the context, and the timer's executor is
// the context's own, not the type-erased default.

namespace {

namespace asio = boost::asio;

using Timer = asio::steady_timer::rebind_executor<asio::io_context::executor_type>::other;

class AsioAdapter : public peers::Threaded {
  public:
    static std::string version() {
        return "Asio " + std::to_string(BOOST_ASIO_VERSION / 100'000) + '.' +
               std::to_string(BOOST_ASIO_VERSION / 100 % 1000) + '.' +
               std::to_string(BOOST_ASIO_VERSION % 100);
    }

    using Handle = std::unique_ptr<Timer>;

    ~AsioAdapter() {
        context_.stop();
        thread_.join();
    }

    Handle schedule(std::int64_t delay, peers::Function function, void* argument) {
        return scheduleAt(peers::now() + delay, function, argument);
    }

    Handle scheduleAt(std::int64_t time, peers::Function function, void* argument) {
        using TimePoint = asio::steady_timer::time_point;
        auto timer = std::make_unique<Timer>(context_);
        timer->expires_at(TimePoint(std::chrono::nanoseconds(time)));
        timer->async_wait([function, argument](const boost::system::error_code& error) {
            if (!error) function(argument);
        });
        return timer;
    }

    static void cancel(Handle& timer) { timer->cancel(); }

    void scheduleAtFixedRate(std::int64_t delay, std::int64_t period, peers::Function function,
                             void* argument) {
        auto task = std::make_unique<Repeating>(context_, period, function, argument);
        task->timer.expires_after(std::chrono::nanoseconds(delay));
        task->wait();
        repeating_.push_back(std::move(task));
    }

  private:
    struct Repeating {
        Repeating(asio::io_context& context, std::int64_t everyNanoseconds,
                  peers::Function theFunction, void* theArgument)
            : timer(context), period(everyNanoseconds), function(theFunction),
              argument(theArgument) {}

        void wait() {
            timer.async_wait([this](const boost::system::error_code& error) {
                if (error) return;
                function(argument);
                timer.expires_at(timer.expiry() + period);
                wait();
            });
        }

        Timer timer;
        std::chrono::nanoseconds period;
        peers::Function function;
        void* argument;
    };

    asio::io_context context_{1};
    asio::executor_work_guard<asio::io_context::executor_type> work_{context_.get_executor()};
    std::vector<std::unique_ptr<Repeating>> repeating_;
    std::thread thread_{[this] { context_.run(); }};
};

}  // namespace

int main(int argc, char** argv) { return peers::runPeer<AsioAdapter>(argc, argv); }
