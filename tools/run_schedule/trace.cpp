// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "trace.hpp"

#include "../text/json.hpp"
#include "../text/time_text.hpp"

#include <chrono>
#include <stdexcept>
#include <utility>

using std::chrono::microseconds;
using std::chrono::nanoseconds;

namespace {

std::string inMicros(nanoseconds time) { return inDecimal(time.count(), 3); }

}  // namespace

std::unique_ptr<Trace> makeTrace(const std::string& fileName, jtimer::Date start, Say say) {
    if (fileName.empty()) return nullptr;
    try {
        return std::make_unique<Trace>(fileName, start, std::move(say));
    } catch (const std::runtime_error& e) {
        throw std::invalid_argument(e.what());
    }
}

Trace::Trace(const std::string& fileName, jtimer::Date start, Say say)
    : start_(start), file_(fileName, std::move(say)) {}

int Trace::rowOf(const std::string& name) {
    const auto known = rows_.find(name);
    if (known != rows_.end()) return known->second;
    const int row = static_cast<int>(rows_.size()) + 1;
    JsonObject event;
    event.addText("name", "thread_name").addText("ph", "M").add("pid", "1");
    event.add("tid", std::to_string(row));
    event.add("args", JsonObject().addText("name", name).text());
    if (file_.add(event.text())) rows_.emplace(name, row);
    return row;
}

std::string Trace::micros(jtimer::Date date) const { return inMicros(date - start_); }

void Trace::command(const Job& job, jtimer::Date begin, jtimer::Date end,
                    std::string_view failure) {
    const Entry& entry = *job.entry;
    const std::lock_guard lock(mutex_);
    const std::string row = std::to_string(rowOf(entry.name));
    JsonObject arguments;
    arguments.addText("command", entry.command).add("attempt", std::to_string(job.attempt));
    arguments.add("lateness_us", inMicros(job.lateness));
    arguments.addText("result", failure.empty() ? "success" : failure);
    JsonObject event;
    event.addText("name", entry.name).addText("cat", "command").addText("ph", "X");
    event.add("ts", micros(begin)).add("dur", inMicros(end - begin)).add("pid", "1");
    event.add("tid", row).add("args", arguments.text());
    if (!failure.empty()) event.addText("cname", "terrible");
    file_.add(event.text());
}

void Trace::skipped(const std::string& name, jtimer::Date now) {
    const std::lock_guard lock(mutex_);
    const std::string row = std::to_string(rowOf(name));
    JsonObject event;
    event.addText("name", "skipped").addText("cat", "command").addText("ph", "i").addText("s", "t");
    event.add("ts", micros(now)).add("pid", "1").add("tid", row);
    file_.add(event.text());
}

void Trace::finish() {
    const std::lock_guard lock(mutex_);
    file_.finish();
}
