// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "run_schedule/event_file.hpp"
#include "run_schedule/ledger.hpp"
#include "run_schedule/metrics.hpp"
#include "run_schedule/prefixed_report.hpp"
#include "run_schedule/table.hpp"
#include "run_schedule/trace.hpp"
#include "run_schedule/watch.hpp"
#include "support/time_zone.hpp"
#include "text/columns.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using std::chrono::microseconds;
using std::chrono::milliseconds;

namespace {

jtimer::Date at(std::int64_t millis) { return jtimer::Date(milliseconds(millis)); }

Job jobOf(const std::string& name, milliseconds lateness = milliseconds(0), int attempt = 1) {
    Entry entry;
    entry.name = name;
    entry.command = "echo \"x\"";
    return {std::make_shared<const Entry>(entry), lateness, attempt};
}

/// A task that has run twice, once in vain, one that runs now, and one that has not begun.
void fill(Ledger& ledger) {
    for (const char* name : {"a", "b", "c"}) ledger.add(name);
    ledger.runBegun(jobOf("a", milliseconds(3)));
    ledger.commandBegun("a", at(1000));
    ledger.commandEnded("a", at(1500), milliseconds(500), true);
    ledger.runEnded("a", true);
    ledger.runBegun(jobOf("a", milliseconds(5)));
    ledger.commandEnded("a", at(2250), milliseconds(250), false);
    ledger.runBegun(jobOf("a", milliseconds(5), 2));
    ledger.commandEnded("a", at(2350), milliseconds(100), false);
    ledger.runEnded("a", false);
    ledger.runSkipped("a");
    ledger.isDue("a", at(10'000));
    ledger.runBegun(jobOf("b"));
    ledger.commandBegun("b", at(2000));
}

/// A folder that is removed at the end.
class Folder {
  public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "reportXXXXXX").string();
        BOOST_REQUIRE(mkdtemp(name.data()) != nullptr);
        path_ = name;
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { std::filesystem::remove_all(path_); }

    std::string file(const std::string& name) const { return (path_ / name).string(); }
    std::string contents(const std::string& name) const {
        std::ostringstream text;
        text << std::ifstream(path_ / name).rdbuf();
        return text.str();
    }
    std::ptrdiff_t files() const {
        return std::distance(std::filesystem::directory_iterator(path_), {});
    }

  private:
    std::filesystem::path path_;
};

}  // namespace

// Metrics.

BOOST_AUTO_TEST_CASE(metrics_are_those_of_prometheus_text_format) {
    Ledger ledger;
    fill(ledger);
    const std::string text = metricsOf(ledger.records(), {});
    const auto has = [&](const std::string& line) {
        BOOST_TEST((text.find('\n' + line + '\n') != text.npos), line << " in\n" << text);
    };
    BOOST_TEST(text.rfind("# HELP run_schedule_runs_total Runs that have begun.\n"
                          "# TYPE run_schedule_runs_total counter\n"
                          "run_schedule_runs_total{task=\"a\"} 2\n"
                          "run_schedule_runs_total{task=\"b\"} 1\n"
                          "run_schedule_runs_total{task=\"c\"} 0\n",
                          0) == 0U);
    has("run_schedule_failures_total{task=\"a\"} 1");
    has("run_schedule_retries_total{task=\"a\"} 1");
    has("run_schedule_skipped_total{task=\"a\"} 1");
    has("run_schedule_running{task=\"a\"} 0");
    has("run_schedule_running{task=\"b\"} 1");
    has("run_schedule_last_success_timestamp_seconds{task=\"a\"} 1.500000000");
    has("run_schedule_next_run_timestamp_seconds{task=\"a\"} 10.000000000");
    has("# TYPE run_schedule_duration_seconds summary");
    has("run_schedule_duration_seconds_sum{task=\"a\"} 0.850000000");
    has("run_schedule_duration_seconds_count{task=\"a\"} 3");
    has("run_schedule_lateness_seconds{task=\"a\",quantile=\"0.5\"} 0.004096000");
    has("run_schedule_lateness_seconds{task=\"a\",quantile=\"0.99\"} 0.005000000");
    has("run_schedule_lateness_seconds_sum{task=\"a\"} 0.008000000");
    has("run_schedule_lateness_seconds_count{task=\"a\"} 2");
    // What a task does not have is left out.
    BOOST_TEST((text.find("last_success_timestamp_seconds{task=\"b\"}") == text.npos));
    BOOST_TEST((text.find("quantile=\"0.5\",task=\"c\"") == text.npos));
}

BOOST_AUTO_TEST_CASE(r36_metrics_tell_about_run_schedule_itself) {
    const auto without = [](const std::string& text) {
        return text.substr(text.find("# HELP run_schedule_tasks"));
    };
    Overview overview;
    overview.tasks = 3;
    overview.start = at(1500);
    overview.lostLines = 2;
    const std::string text =
        "# HELP run_schedule_tasks Tasks of the schedule.\n"
        "# TYPE run_schedule_tasks gauge\n"
        "run_schedule_tasks 3\n"
        "# HELP run_schedule_start_time_seconds When run_schedule started.\n"
        "# TYPE run_schedule_start_time_seconds gauge\n"
        "run_schedule_start_time_seconds 1.500000000\n"
        "# HELP run_schedule_last_reload_successful Whether the last reload succeeded.\n"
        "# TYPE run_schedule_last_reload_successful gauge\n"
        "run_schedule_last_reload_successful 1\n"
        "# HELP run_schedule_lost_lines_total Lines of output that could not be written.\n"
        "# TYPE run_schedule_lost_lines_total counter\n"
        "run_schedule_lost_lines_total 2\n";
    BOOST_TEST(without(metricsOf({}, overview)) == text);
    overview.databaseUp = false;
    BOOST_TEST(without(metricsOf({}, overview)) ==
               text + "# HELP run_schedule_database_up Whether the database answered when last "
                      "asked.\n# TYPE run_schedule_database_up gauge\n"
                      "run_schedule_database_up 0\n");
}

BOOST_AUTO_TEST_CASE(r36_metrics_of_a_task_have_its_name_and_never_its_command) {
    Ledger ledger;
    ledger.add("a");
    ledger.runBegun(jobOf("a"));
    ledger.runOverran("a");
    ledger.commandBegun("a", at(5000));
    const std::string running = metricsOf(ledger.records(), {});
    ledger.commandTimedOut("a");
    ledger.commandEnded("a", at(7000), std::chrono::seconds(2), false);
    ledger.runEnded("a", false);
    ledger.isDead("a", true);
    const std::string ended = metricsOf(ledger.records(), {});
    const auto valueOf = [](const std::string& text, const std::string& name) {
        const std::string head = "\nrun_schedule_" + name + "{task=\"a\"} ";
        const auto place = text.find(head);
        if (place == text.npos) return std::string("none");
        const auto begin = place + head.size();
        return text.substr(begin, text.find('\n', begin) - begin);
    };
    BOOST_TEST(valueOf(running, "running_since_timestamp_seconds") == "5.000000000");
    BOOST_TEST(valueOf(running, "last_failure_timestamp_seconds") == "none");
    BOOST_TEST(valueOf(running, "timeouts_total") == "0");
    BOOST_TEST(valueOf(running, "overruns_total") == "1");
    BOOST_TEST(valueOf(running, "dead") == "0");
    BOOST_TEST(valueOf(ended, "running_since_timestamp_seconds") == "none");
    BOOST_TEST(valueOf(ended, "last_failure_timestamp_seconds") == "7.000000000");
    BOOST_TEST(valueOf(ended, "timeouts_total") == "1");
    BOOST_TEST(valueOf(ended, "dead") == "1");
    BOOST_TEST((running + ended).find("echo") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(quotes_and_backslashes_in_a_name_are_escaped) {
    Ledger ledger;
    ledger.add(R"(a"b\c)");
    const std::string text = metricsOf(ledger.records(), {});
    BOOST_TEST((text.find(R"(run_schedule_runs_total{task="a\"b\\c"} 0)") != text.npos));
}

BOOST_AUTO_TEST_CASE(a_file_of_metrics_is_replaced_as_a_whole) {
    const Folder folder;
    replaceMetrics(folder.file("m.prom"), "one\n");
    const std::ifstream reader(folder.file("m.prom"));
    replaceMetrics(folder.file("m.prom"), "two\n");
    std::ostringstream read;
    read << reader.rdbuf();
    BOOST_TEST(read.str() == "one\n");  // the one that was opened
    BOOST_TEST(folder.contents("m.prom") == "two\n");
    BOOST_TEST(folder.files() == 1);

    const std::string nowhere = folder.file("no/m.prom");
    BOOST_CHECK_EXCEPTION(replaceMetrics(nowhere, "x"), std::runtime_error, [&](auto& e) {
        return e.what() == "cannot write " + nowhere + ": No such file or directory";
    });
}

BOOST_AUTO_TEST_CASE(metrics_replace_no_device_and_leave_nothing_behind) {
    const Folder folder;
    const auto refused = [](const std::string& file, const std::string& why) {
        BOOST_CHECK_EXCEPTION(replaceMetrics(file, "x"), std::runtime_error, [&](auto& e) {
            return e.what() == "cannot write " + file + ": " + why;
        });
    };
    const std::string pipe = folder.file("pipe");
    BOOST_REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    refused(pipe, "it is not a regular file");
    BOOST_TEST(std::filesystem::is_fifo(pipe));
    std::filesystem::create_directory(folder.file("directory"));
    refused(folder.file("directory"), "Is a directory");
    BOOST_TEST(folder.files() == 2);
}

// Trace.

BOOST_AUTO_TEST_CASE(a_trace_has_a_row_for_each_task_and_an_event_for_each_command) {
    const Folder folder;
    Trace trace(folder.file("t.json"), at(1000), say);
    trace.command(jobOf("a", milliseconds(3)), at(1500), at(1750) + microseconds(1), "");
    trace.command(jobOf("b", milliseconds(0), 2), at(1600), at(1700), "exit status 3");
    trace.skipped("a", at(1800));
    trace.finish();
    BOOST_TEST(trace.lostEvents() == 0);
    BOOST_TEST(folder.contents("t.json") ==
               R"([
{"name":"thread_name","ph":"M","pid":1,"tid":1,"args":{"name":"a"}},
{"name":"a","cat":"command","ph":"X","ts":500000.000,"dur":250001.000,"pid":1,"tid":1,"args":{"command":"echo \"x\"","attempt":1,"lateness_us":3000.000,"result":"success"}},
{"name":"thread_name","ph":"M","pid":1,"tid":2,"args":{"name":"b"}},
{"name":"b","cat":"command","ph":"X","ts":600000.000,"dur":100000.000,"pid":1,"tid":2,"args":{"command":"echo \"x\"","attempt":2,"lateness_us":0.000,"result":"exit status 3"},"cname":"terrible"},
{"name":"skipped","cat":"command","ph":"i","s":"t","ts":800000.000,"pid":1,"tid":1}
]
)");
}

BOOST_AUTO_TEST_CASE(r52_an_event_that_is_cut_in_a_pipe_is_completed_before_the_next) {
    std::signal(SIGPIPE, SIG_IGN);
    const Folder folder;
    const std::string pipe = folder.file("pipe");
    BOOST_REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const std::string first = '"' + std::string(200'000, 'x') + '"';
    std::string text;
    const auto readFrom = [&text](int fd, std::size_t count) {
        std::string buffer(count, ' ');
        const ssize_t size = ::read(fd, buffer.data(), count);
        text.append(buffer, 0, static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
        return size > 0;
    };
    // It goes away while the first event is written, which does not fit into the pipe.
    std::thread reader([&] {
        const int fd = ::open(pipe.c_str(), O_RDONLY);
        readFrom(fd, 10);
        ::close(fd);
    });
    std::optional<EventFile> file(std::in_place, pipe, say);
    BOOST_TEST(file->add(first));
    reader.join();
    BOOST_TEST(!file->add("\"lost\""));
    const int fd = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
    ::fcntl(fd, F_SETFL, 0);
    reader = std::thread([&] {
        while (readFrom(fd, 65'536)) {
        }
    });
    BOOST_TEST(file->add("\"second\""));
    file->finish();
    BOOST_TEST(file->lost() == 1);
    file.reset();
    reader.join();
    ::close(fd);
    BOOST_TEST((text == "[\n" + first + ",\n\"second\"\n]\n"));
}

BOOST_AUTO_TEST_CASE(r52_a_regular_file_is_an_array_after_each_event) {
    const Folder folder;
    EventFile file(folder.file("t.json"), say);
    BOOST_TEST(folder.contents("t.json") == "[\n\n]\n");
    file.add("1");
    BOOST_TEST(folder.contents("t.json") == "[\n1\n]\n");
    file.add("2");
    BOOST_TEST(folder.contents("t.json") == "[\n1,\n2\n]\n");
    file.finish();
    BOOST_TEST(folder.contents("t.json") == "[\n1,\n2\n]\n");
}

BOOST_AUTO_TEST_CASE(a_trace_that_cannot_be_written_is_refused) {
    BOOST_CHECK_EXCEPTION(Trace("/no/t.json", at(0), say), std::runtime_error, [](auto& e) {
        return e.what() == std::string("cannot write /no/t.json: No such file or directory");
    });
}

// Tables.

BOOST_AUTO_TEST_CASE(the_table_has_columns_for_retries_and_dropped_runs_if_there_are_any) {
    Ledger ledger;
    fill(ledger);
    BOOST_TEST(tableOf(ledger.records()) ==
               "task  runs  failures  retries  skipped  lateness p50  lateness max\n"
               "a        2         1        1        1      4.096 ms      5.000 ms\n"
               "b        1         0        0        0      0.000 ms      0.000 ms\n"
               "c        0         0        0        0             -             -\n");
    Ledger plain;
    plain.add("a");
    BOOST_TEST(tableOf(plain.records()) == "task  runs  failures  lateness p50  lateness max\n"
                                           "a        0         0             -             -\n");
}

BOOST_AUTO_TEST_CASE(the_live_table_says_what_each_task_does) {
    const test::TimeZone utc("UTC0");
    Ledger ledger;
    fill(ledger);
    ledger.add("d");
    ledger.runBegun(jobOf("d"));
    ledger.commandEnded("d", at(2'300), milliseconds(1), false);
    const std::vector<std::string> expected{
        "1970-01-01T00:00:03  4 tasks, 1 running, 2 failed",
        "\x1b[1mtask  state         runs  failures  lateness p50  last line\x1b[m",
        "\x1b[31ma     in 7.0s          2         1      4.096 ms  hello\x1b[m",
        "\x1b[32mb     runs 1.0s        1         0      0.000 ms  \x1b[m",
        "c     over             0         0             -  ",
        "\x1b[31md     retries soon     1         0      0.000 ms  \x1b[m"};
    BOOST_TEST(watchLines(ledger.records(), {{"a", "hello"}}, at(3'000), {80, 24}) == expected,
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_live_table_fits_on_the_screen) {
    const test::TimeZone utc("UTC0");
    Ledger ledger;
    for (int i = 0; i < 30; ++i) ledger.add("task" + std::to_string(i));
    const LastLines last{{"task0", "\x1b[2J\ttoo \xC3\xA4 long for this screen"}};
    const std::vector<std::string> lines = watchLines(ledger.records(), last, at(0), {62, 10});
    BOOST_REQUIRE(lines.size() == 9U);
    BOOST_TEST(lines[2] == "task0   over      0         0             -   [2J too \xC3\xA4 long f");
    BOOST_TEST(widthOf(lines[2]) == 62U);
    BOOST_TEST(lines[8] == "... and 24 more");
    for (const ScreenSize size : {ScreenSize{1, 1}, ScreenSize{5, 3}, ScreenSize{200, 33}}) {
        BOOST_TEST(watchLines(ledger.records(), last, at(0), size).size() <=
                   std::max<std::size_t>(size.rows, 4));
    }
}

BOOST_AUTO_TEST_CASE(the_live_table_is_drawn_in_the_place_of_the_last_one) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
    Output output(fileno(file.get()));
    Watch watch(output, fileno(file.get()));
    BOOST_TEST(!Watch::isPossible(fileno(file.get())));
    BOOST_TEST(watch.size().columns == 80U);
    watch.clear();
    watch.draw({"one", "two"});
    watch.draw({"one", "two"});
    watch.draw({"three"});
    watch.clear();
    watch.clear();
    std::string text(1000, '\0');
    text.resize(static_cast<std::size_t>(pread(fileno(file.get()), text.data(), 1000, 0)));
    BOOST_TEST(text == "\rone\x1b[K\n\rtwo\x1b[K\n\x1b[J"
                       "\x1b[2A\rthree\x1b[K\n\x1b[J"
                       "\x1b[1A\r\x1b[J");
}
