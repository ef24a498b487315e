// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "trace.hpp"

#include "time_text.hpp"
#include "utf8.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <stdexcept>

#include <fcntl.h>

using std::chrono::microseconds;
using std::chrono::nanoseconds;

namespace {

int create(const std::string& fileName) {
    constexpr mode_t kMode = 0666;
    const int file = ::open(fileName.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode);
    if (file < 0) throw std::runtime_error("cannot write " + fileName + ": " + strerror(errno));
    return file;
}

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

Trace::Trace(const std::string& fileName, jtimer::Date start)
    : file_(create(fileName)), start_(start), output_(file_.get(), 0, std::cerr, fileName) {
    output_.write("[\n");
}

void Trace::write(const std::string& event) {
    output_.write((isEmpty_ ? "" : ",\n") + event);
    isEmpty_ = false;
}

int Trace::rowOf(const std::string& name) {
    const auto [row, isNew] = rows_.emplace(name, static_cast<int>(rows_.size()) + 1);
    if (isNew) {
        write(R"({"name":"thread_name","ph":"M","pid":1,"tid":)" + std::to_string(row->second) +
              R"(,"args":{"name":)" + inJson(name) + "}}");
    }
    return row->second;
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
    write(event + '}');
}

void Trace::skipped(const std::string& name, jtimer::Date now) {
    const std::lock_guard lock(mutex_);
    const std::string row = std::to_string(rowOf(name));
    write(R"({"name":"skipped","cat":"command","ph":"i","s":"t","ts":)" + micros(now) +
          R"(,"pid":1,"tid":)" + row + '}');
}

void Trace::finish() {
    const std::lock_guard lock(mutex_);
    output_.write("\n]\n");
}
