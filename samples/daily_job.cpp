// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A job that runs at half past two each night in Berlin, whatever the zone of the computer: once in
// the night that has no half past two, and once in the night that has two. A night that fails is
// reported, and the job runs again the next night: by default, the first exception would end the
// timer. The clock is manual, so the nights take no time; a real program leaves it out.

#include <jtimer/timer.hpp>

#include <chrono>
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

using jtimer::Date;
using jtimer::Zone;
using namespace std::chrono_literals;

namespace {

/// The time of day in the zone: 02:30.
std::string timeOfDay(Date date, const Zone& zone) {
    const auto local = date.time_since_epoch() + zone.offsetAt(date).value_or(0s);
    const auto minutes = std::chrono::floor<std::chrono::minutes>(local).count() % 1440;
    const auto twoDigits = [](auto n) { return (n < 10 ? "0" : "") + std::to_string(n); };
    return twoDigits(minutes / 60) + ':' + twoDigits(minutes % 60);
}

void report(const jtimer::TaskException& e) {
    try {
        std::rethrow_exception(e.exception);
    } catch (const std::exception& what) {
        std::cout << "  failed in run " << e.run << ": " << what.what() << '\n';
    }
}

}  // namespace

int main() {
    if (!Zone::isKnown("Europe/Berlin")) {
        std::cout << "as there are no time zones here: install tzdata\n";
        return 77;
    }
    const Zone berlin("Europe/Berlin");
    const jtimer::Cron nightly("30 2 * * *", berlin);
    const auto clock = std::make_shared<jtimer::ManualClock>(Date(1'774'656'000s));  // 2026-03-28

    jtimer::TimerOptions options;
    options.name = "backup";
    options.daemon = true;
    options.clock = clock;
    options.onException = jtimer::OnException::ContinueTask;
    options.taskExceptionHandler = report;
    jtimer::Timer timer(options);

    bool diskIsFull = false;
    const auto backUp = [&] {
        const Date now = clock->now();
        std::cout << jtimer::When(now) << " is " << timeOfDay(now, berlin) << " in Berlin\n";
        if (diskIsFull) throw std::runtime_error("the disk is full");
    };

    std::cout << "Summer time begins:\n";
    const auto inSpring = timer.scheduleBy(backUp, nightly);
    clock->advance(3 * 24h);
    inSpring->cancel();

    clock->advanceTo(Date(1'792'800'000s));  // 2026-10-24
    std::cout << "It ends:\n";
    timer.scheduleBy(backUp, nightly);
    diskIsFull = true;
    clock->advance(24h);
    diskIsFull = false;
    clock->advance(2 * 24h);
}
