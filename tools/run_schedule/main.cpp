// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// run_schedule: a small cron with times in milliseconds. One Timer runs the shell commands of a
// schedule file; see options.cpp. It demonstrates a whole program on one timer, planned times as
// exact Dates, the purpose of each clock, an orderly shutdown (signal, Timer::cancel, ~Timer), and
// the same program in virtual time.

#include "command.hpp"
#include "options.hpp"
#include "output.hpp"
#include "player.hpp"
#include "report.hpp"
#include "schedule_file.hpp"
#include "signals.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <future>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr int kFailed = 1;
constexpr int kBadUsage = 2;

/// \param fileName `-` for standard input
/// \throws std::runtime_error if the file cannot be read or has a bad line
std::vector<Entry> readSchedule(const std::string& fileName) {
    const bool isInput = fileName == "-";
    const std::string shownName = isInput ? "standard input" : fileName;
    errno = 0;
    std::ifstream opened;
    if (!isInput) opened.open(fileName);
    std::istream& file = isInput ? std::cin : opened;
    Schedule schedule;
    if (file) schedule = parseSchedule(file, shownName);
    // std::cin reports an error as the end of the input.
    if (isInput ? std::ferror(stdin) != 0 : opened.bad() || !opened.is_open()) {
        throw std::runtime_error("run_schedule: cannot read " + shownName + ": " +
                                 std::strerror(errno));
    }
    std::string errors;
    for (const std::string& error : schedule.errors) errors += (errors.empty() ? "" : "\n") + error;
    if (!errors.empty()) throw std::runtime_error(errors);
    return std::move(schedule.entries);
}

std::size_t widestName(const std::vector<Entry>& entries) {
    std::size_t width = 0;
    for (const Entry& entry : entries) width = std::max(width, widthOf(entry.name));
    return width;
}

bool runEntry(const Entry& entry, CommandRunner& runner, const jtimer::Clock& wallClock,
              Printer& printer) {
    const auto print = [&](std::string_view text) {
        printer.line(wallClock.now(), entry.name, text);
    };
    std::string failure;
    try {
        failure = runner.run(entry.command, print);
    } catch (const std::system_error& e) {
        failure = e.what();
    }
    if (!failure.empty()) print("[failed: " + failure + ']');
    return failure.empty();
}

/// Returns when the running command, if there is one, has ended: by itself, or by SIGTERM or
/// SIGKILL if it does not end within the grace period.
void finish(Player& player, CommandRunner& runner, Signals& signals, milliseconds grace) {
    std::packaged_task<void()> finishing([&player] { player.finish(); });
    std::future<void> finished = finishing.get_future();
    std::thread thread([&] {
        finishing();
        signals.wakeMain();
    });
    std::optional<steady_clock::time_point> deadline = steady_clock::now() + grace;
    int next = SIGTERM;
    while (finished.wait_for(milliseconds(0)) != std::future_status::ready) {
        switch (signals.wait(deadline)) {
        case Signals::Reason::Deadline:
            runner.end(next);
            if (next == SIGTERM) {
                deadline = steady_clock::now() + grace;
                next = SIGKILL;
            } else {
                deadline.reset();
            }
            break;
        case Signals::Reason::Interrupt:
            runner.end(SIGKILL);
            signals.restore();
            deadline.reset();
            break;
        case Signals::Reason::HangUp:  // a closing terminal may send it twice
        case Signals::Reason::Woken:
            break;
        }
    }
    thread.join();
    finished.get();
}

void play(std::vector<Entry> entries, const Options& options, Output& output) {
    std::signal(SIGCHLD, SIG_DFL);  // if it were ignored, we would get no exit status
    // Failing to write a line must not end the process.
    for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
    Signals signals;  // before the timer, whose thread inherits the blocked signals
    Printer printer(output, widestName(entries));
    CommandRunner runner;
    const Clocks clocks{std::make_shared<jtimer::SteadyClock>(),
                        std::make_shared<jtimer::WallClock>()};
    Player player(std::move(entries), clocks, [&](const Entry& entry) {
        return runEntry(entry, runner, *clocks.wall, printer);
    });

    std::optional<steady_clock::time_point> deadline;
    if (options.runFor) deadline = steady_clock::now() + *options.runFor;
    player.start([&signals] { signals.wakeMain(); });
    const Signals::Reason reason = signals.wait(deadline);

    player.cancel();
    const Entry* running = player.running();
    if (reason != Signals::Reason::Deadline && running != nullptr) {
        std::cerr << "run_schedule: waiting for " + running->name + " to finish\n" << std::flush;
    }
    finish(player, runner, signals, options.grace);
    printer.table(player.rows());
    if (options.stats) printer.stats(player.stats());
}

/// The end of a dry run that begins at `start`.
jtimer::Date endOfDryRun(const std::vector<Entry>& entries, const Options& options,
                         jtimer::Date start) {
    if (options.runFor) return start + *options.runFor;
    jtimer::Date lastRun = start;
    for (const Entry& entry : entries) {
        if (entry.repeats()) return start + std::chrono::hours(24);
        lastRun = std::max(lastRun, entry.kind == Entry::Kind::At ? entry.at : start + entry.after);
    }
    return lastRun;
}

void playDry(std::vector<Entry> entries, const Options& options, Output& output) {
    Printer printer(output, widestName(entries));
    const auto clock = std::make_shared<jtimer::ManualClock>(jtimer::WallClock().now());
    const jtimer::Date end = endOfDryRun(entries, options, clock->now());
    Player player(std::move(entries), {clock, clock}, [&](const Entry& entry) {
        printer.line(clock->now(), entry.name, entry.command);
        if (output.failing()) player.cancel();  // a dry run is useless without its output
        return true;
    });
    player.start();
    clock->advanceTo(end);
    player.finish();
    printer.table(player.rows());
    if (options.stats) printer.stats(player.stats());
}

/// If we were started without descriptor 0, 1 or 2, a descriptor that we open must not get that
/// number: what we print would go there.
void fillStandardDescriptors() {
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        // Reading or writing it then fails, as on a closed descriptor.
        const int flags = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (::fcntl(fd, F_GETFD) < 0) static_cast<void>(::open("/dev/null", flags));
    }
}

int fail(const std::string& message, int status) {
    std::cerr << message + '\n' << std::flush;
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    fillStandardDescriptors();
    Options options;
    try {
        options = parseOptions(argc, argv);
    } catch (const std::exception& e) {
        return fail(std::string("run_schedule: ") + e.what() + '\n' + kUsage +
                        "See `run_schedule --help`.",
                    kBadUsage);
    }
    if (!options.print.empty()) {
        Output output(STDOUT_FILENO);
        output.write(options.print);
        return output.failing() ? kFailed : 0;
    }
    std::vector<Entry> entries;
    try {
        entries = readSchedule(options.file);
    } catch (const std::runtime_error& e) {
        return fail(e.what(), kBadUsage);
    }
    Output output(STDOUT_FILENO, options.dryRun ? 65'536 : 0);
    try {
        (options.dryRun ? playDry : play)(std::move(entries), options, output);
    } catch (const std::exception& e) {
        return fail(std::string("run_schedule: ") + e.what(), kFailed);
    }
    if (output.lostLines() > 0) {
        return fail("run_schedule: lines of output lost: " + std::to_string(output.lostLines()),
                    kFailed);
    }
    return 0;
}
