// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "json_report.hpp"

#include "../text/time_text.hpp"
#include "calendar/local_time.hpp"

#include <jtimer/clock.hpp>

namespace {

std::string secondsIn(std::chrono::nanoseconds time) { return inDecimal(time.count() / 1000, 6); }

/// How a command has ended.
void addEnding(JsonObject& object, const Event& event) {
    object.add("duration", secondsIn(event.duration));
    if (event.signal != 0) {
        object.add("signal", std::to_string(event.signal));
    } else {
        object.add("exit_status", std::to_string(event.exitStatus));
    }
}

}  // namespace

/// What begins each object.
JsonObject JsonReport::objectAt(jtimer::Date time) const {
    jtimer::detail::lookAtLocalTime();
    JsonObject object;
    object.addText("time", formatDate(time));
    if (!node_.empty()) object.addText("node", node_);
    return object;
}

void JsonReport::write(const JsonObject& object) { Report::write(object.text() + '\n'); }

void JsonReport::line(jtimer::Date time, const std::string& task, Stream stream,
                      std::string_view text) {
    write(objectAt(time)
              .addText("task", task)
              .addText("stream", stream == Stream::Output ? "stdout" : "stderr")
              .addText("message", text));
}

void JsonReport::event(const Event& event) {
    JsonObject object = objectAt(event.time);
    object.addText("task", event.task).addText("event", nameOf(event.kind));
    object.addText("due", formatDate(event.due)).add("attempt", std::to_string(event.attempt));
    switch (event.kind) {
    case Event::Kind::Succeeded:
    case Event::Kind::Failed:
        addEnding(object, event);
        break;
    case Event::Kind::Overrun:
        object.add("duration", secondsIn(event.duration));
        break;
    case Event::Kind::Started:
    case Event::Kind::Retried:
    case Event::Kind::Skipped:
        break;
    }
    if (!event.reason.empty()) object.addText("reason", event.reason);
    write(object);
}

void JsonReport::wouldRun(const Job& job, jtimer::Date time) {
    event(eventOf(Event::Kind::Started, job, time));
}

void JsonReport::notice(Level level, const std::string& text) {
    write(objectAt(jtimer::WallClock().now())
              .addText("level", nameOf(level))
              .addText("message", text));
}

void JsonReport::summary(jtimer::Date time, const std::vector<Record>& records) {
    for (const Record& record : records) {
        JsonObject object = objectAt(time);
        object.addText("task", record.name).addText("event", "summary");
        object.add("runs", std::to_string(record.lateness.count()));
        object.add("failures", std::to_string(record.failures));
        object.add("retries", std::to_string(record.retries));
        object.add("skipped", std::to_string(record.skipped));
        object.add("overruns", std::to_string(record.overruns));
        if (record.lateness.count() > 0) {
            object.add("lateness_p50", secondsIn(record.lateness.percentile(50)));
            object.add("lateness_max", secondsIn(record.lateness.max()));
        }
        write(object);
    }
    flush();
}
