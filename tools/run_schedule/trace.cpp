// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "trace.hpp"

#include "time_text.hpp"
#include "utf8.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <stdexcept>

using std::chrono::microseconds;
using std::chrono::nanoseconds;

namespace {

std::string inMicros(nanoseconds time) { return inDecimal(time.count(), 3); }

}  // namespace

std::string inJson(std::string_view text) {
    std::string json = "\"";
    for (const char c : inUtf8(text)) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            json += '\\';
            json += c;
        } else if (byte < 0x20) {
            std::array<char, 8> escape{};
            std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(byte));
            json += escape.data();
        } else {
            json += c;
        }
    }
    return json += '"';
}

std::unique_ptr<Trace> makeTrace(const std::string& fileName, jtimer::Date start) {
    if (fileName.empty()) return nullptr;
    try {
        return std::make_unique<Trace>(fileName, start);
    } catch (const std::runtime_error& e) {
        throw std::invalid_argument(e.what());
    }
}

Trace::Trace(const std::string& fileName, jtimer::Date start) : start_(start), file_(fileName) {}

int Trace::rowOf(const std::string& name) {
    const auto known = rows_.find(name);
    if (known != rows_.end()) return known->second;
    const int row = static_cast<int>(rows_.size()) + 1;
    const bool isNamed =
        file_.add(R"({"name":"thread_name","ph":"M","pid":1,"tid":)" + std::to_string(row) +
                  R"(,"args":{"name":)" + inJson(name) + "}}");
    if (isNamed) rows_.emplace(name, row);
    return row;
}

std::string Trace::micros(jtimer::Date date) const { return inMicros(date - start_); }

void Trace::command(const Job& job, jtimer::Date begin, jtimer::Date end,
                    std::string_view failure) {
    const Entry& entry = *job.entry;
    const std::lock_guard lock(mutex_);
    const std::string row = std::to_string(rowOf(entry.name));
    std::string event = R"({"name":)" + inJson(entry.name) + R"(,"cat":"command","ph":"X","ts":)" +
                        micros(begin) + R"(,"dur":)" + inMicros(end - begin) +
                        R"(,"pid":1,"tid":)" + row + R"(,"args":{"command":)" +
                        inJson(entry.command) + R"(,"attempt":)" + std::to_string(job.attempt) +
                        R"(,"lateness_us":)" + inMicros(job.lateness) + R"(,"result":)" +
                        inJson(failure.empty() ? "success" : failure) + '}';
    if (!failure.empty()) event += R"(,"cname":"terrible")";
    file_.add(event + '}');
}

void Trace::skipped(const std::string& name, jtimer::Date now) {
    const std::lock_guard lock(mutex_);
    const std::string row = std::to_string(rowOf(name));
    file_.add(R"({"name":"skipped","cat":"command","ph":"i","s":"t","ts":)" + micros(now) +
              R"(,"pid":1,"tid":)" + row + '}');
}

void Trace::finish() {
    const std::lock_guard lock(mutex_);
    file_.finish();
}
