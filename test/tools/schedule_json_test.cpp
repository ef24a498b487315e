// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "run_schedule/json_report.hpp"
#include "support/time_zone.hpp"
#include "text/json.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>

#include <unistd.h>

using std::chrono::milliseconds;

namespace {

/// What a report writes.
std::string textOf(const std::string& node, const std::function<void(Report&)>& use) {
    const test::TimeZone utc("UTC0");
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
    Output output(fileno(file.get()));
    JsonReport report(output, node);
    use(report);
    std::string text(10'000, '\0');
    text.resize(static_cast<std::size_t>(pread(fileno(file.get()), text.data(), text.size(), 0)));
    return text;
}

const jtimer::Date kTime{milliseconds(1'500)};

Event eventOf(Event::Kind kind) {
    Event event;
    event.kind = kind;
    event.time = kTime;
    event.task = "a";
    event.due = jtimer::Date(milliseconds(1'000));
    return event;
}

std::string textOf(const Event& event) {
    const std::string text = textOf("", [&](Report& report) { report.event(event); });
    const std::string begin = R"({"time":"1970-01-01T00:00:01.500+00:00","task":"a","event":")";
    const std::string due = R"(","due":"1970-01-01T00:00:01.000+00:00",)";
    BOOST_TEST(text.rfind(begin, 0) == 0U);
    const std::size_t place = text.find(due);
    BOOST_REQUIRE(place != text.npos);
    return text.substr(begin.size(), place - begin.size()) + ' ' + text.substr(place + due.size());
}

}  // namespace

BOOST_AUTO_TEST_CASE(r28_a_string_of_json_holds_any_bytes_as_utf_8) {
    BOOST_TEST(inJson("") == R"("")");
    BOOST_TEST(inJson("a\"\\\n\t\x01\xC3\xA4/") == "\"a\\\"\\\\\\u000a\\u0009\\u0001\xC3\xA4/\"");
    BOOST_TEST(inJson(std::string_view("\0\x1f\x7f", 3)) == R"("\u0000\u001f\u007f")");
    BOOST_TEST(inJson("\xC2\x9B\xE2\x80\xAEx") == R"("\u009b\u202ex")");
    for (int byte = 0; byte < 0x20; ++byte) {
        const char c = static_cast<char>(byte);
        BOOST_TEST(inJson({&c, 1}).rfind("\"\\u00", 0) == 0U);
    }
    // A byte that begins no character, one without its end, an overlong one, a surrogate.
    const std::string unknown = "\xEF\xBF\xBD";
    BOOST_TEST(inJson("a\xFF\xC3") == "\"a" + unknown + unknown + '"');
    BOOST_TEST(inJson("\xC0\x80z") == '"' + unknown + unknown + "z\"");
    BOOST_TEST(inJson("\xED\xA0\x80") == '"' + unknown + unknown + unknown + '"');
    BOOST_TEST(inJson("\xF0\x9F\x99\x82") == "\"\xF0\x9F\x99\x82\"");
}

BOOST_AUTO_TEST_CASE(an_object_of_json_has_its_members_in_order) {
    JsonObject object;
    BOOST_TEST(object.text() == "{}");
    object.addText("a\"", "b\n").add("n", "1.500").add("o", JsonObject().add("p", "2").text());
    BOOST_TEST(object.text() == R"({"a\"":"b\u000a","n":1.500,"o":{"p":2}})");
}

BOOST_AUTO_TEST_CASE(r28_a_line_of_a_command_says_its_task_and_its_stream) {
    const std::string text = textOf("", [](Report& report) {
        BOOST_CHECK(report.streams() == Report::Streams::Apart);
        report.line(kTime, "a", Stream::Output, "{\"b\":1}\r");
        report.line(kTime, "a", Stream::Error, "");
    });
    BOOST_TEST(
        text ==
        R"({"time":"1970-01-01T00:00:01.500+00:00","task":"a","stream":"stdout","message":"{\"b\":1}\u000d"}
{"time":"1970-01-01T00:00:01.500+00:00","task":"a","stream":"stderr","message":""}
)");
}

BOOST_AUTO_TEST_CASE(r28_an_event_has_what_is_known_of_its_kind) {
    Event event = eventOf(Event::Kind::Started);
    BOOST_TEST(textOf(event) == "started \"attempt\":1}\n");
    event.attempt = 2;
    event.kind = Event::Kind::Retried;
    BOOST_TEST(textOf(event) == "retried \"attempt\":2}\n");
    event.kind = Event::Kind::Succeeded;
    event.duration = std::chrono::microseconds(1'234'567);
    BOOST_TEST(textOf(event) ==
               "succeeded \"attempt\":2,\"duration\":1.234567,\"exit_status\":0}\n");
    event.kind = Event::Kind::Failed;
    event.exitStatus = 3;
    event.reason = "exit status 3";
    BOOST_TEST(textOf(event) == "failed \"attempt\":2,\"duration\":1.234567,\"exit_status\":3,"
                                "\"reason\":\"exit status 3\"}\n");
    event.exitStatus = 128 + 15;
    event.signal = 15;
    event.reason = "killed by signal 15 (Terminated)";
    BOOST_TEST(textOf(event) == "failed \"attempt\":2,\"duration\":1.234567,\"signal\":15,"
                                "\"reason\":\"killed by signal 15 (Terminated)\"}\n");
    event = eventOf(Event::Kind::Skipped);
    event.reason = "the previous run has not ended";
    BOOST_TEST(textOf(event) ==
               "skipped \"attempt\":1,\"reason\":\"the previous run has not ended\"}\n");
    event = eventOf(Event::Kind::Overrun);
    event.duration = milliseconds(62'000);
    BOOST_TEST(textOf(event) == "overrun \"attempt\":1,\"duration\":62.000000}\n");
}

BOOST_AUTO_TEST_CASE(r28_a_notice_says_how_much_it_matters) {
    const std::string text = textOf("", [](Report& report) {
        report.notice(Level::Info, "one");
        report.notice(Level::Warning, "two");
        report.notice(Level::Error, "three");
        std::cerr << "what a library" << ' ' << "says\nand another\n" << std::flush;
    });
    for (const char* end :
         {R"(,"level":"info","message":"one"})", R"(,"level":"warning","message":"two"})",
          R"(,"level":"error","message":"three"})",
          R"(,"level":"warning","message":"what a library says"})",
          R"(,"level":"warning","message":"and another"})"}) {
        BOOST_TEST(text.find(std::string(end) + '\n') != text.npos, end);
    }
}

BOOST_AUTO_TEST_CASE(r28_the_summary_is_an_event_of_each_task_and_names_the_node) {
    Entry entry;
    entry.name = "a";
    Ledger ledger;
    for (const char* name : {"a", "b"}) ledger.add(name);
    ledger.runBegun({std::make_shared<const Entry>(entry), milliseconds(3)});
    ledger.runEnded("a", false);
    ledger.runSkipped("a");
    ledger.runOverran("a");
    const std::string text =
        textOf("node \"1\"", [&](Report& report) { report.summary(kTime, ledger.records()); });
    BOOST_TEST(
        text ==
        R"({"time":"1970-01-01T00:00:01.500+00:00","node":"node \"1\"","task":"a","event":"summary","runs":1,"failures":1,"retries":0,"skipped":1,"overruns":1,"lateness_p50":0.003000,"lateness_max":0.003000}
{"time":"1970-01-01T00:00:01.500+00:00","node":"node \"1\"","task":"b","event":"summary","runs":0,"failures":0,"retries":0,"skipped":0,"overruns":0}
)");
}
