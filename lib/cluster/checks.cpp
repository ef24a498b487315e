// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/checks.hpp"

#include "cluster/micros.hpp"

#include <jtimer/exceptions.hpp>

#include <cstddef>

namespace jtimer::cluster::detail {

namespace {

constexpr std::size_t kMaxPayload = std::size_t{1} << 20;

void require(bool condition, const std::string& message) {
    if (!condition) throw IllegalArgumentException(message);
}

}  // namespace

std::size_t characterLength(const std::string& text, std::size_t at) {
    const auto byte = [&](std::size_t i) -> unsigned {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0;
    };
    const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
    const unsigned first = byte(0);
    if (first == 0) return 0;
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first < 0xE0) return continues(1) ? 2 : 0;
    if (first >= 0xE0 && first < 0xF0) {
        const bool overlong = first == 0xE0 && byte(1) < 0xA0;
        const bool surrogate = first == 0xED && byte(1) >= 0xA0;
        return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
    }
    if (first >= 0xF0 && first < 0xF5) {
        const bool overlong = first == 0xF0 && byte(1) < 0x90;
        const bool tooGreat = first == 0xF4 && byte(1) >= 0x90;
        return continues(1) && continues(2) && continues(3) && !overlong && !tooGreat ? 4 : 0;
    }
    return 0;
}

bool isText(const std::string& text, std::size_t maxBytes) {
    if (text.empty() || text.size() > maxBytes) return false;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = characterLength(text, at);
        if (length == 0) return false;
        at += length;
    }
    return true;
}

void checkKey(const char* what, const std::string& key) {
    require(isText(key, 200), std::string(what) + ": expected 1 to 200 bytes of UTF-8");
}

void checkKey(const std::string& name, const std::string& id) {
    checkKey("name", name);
    checkKey("id", id);
}

void checkPayload(const std::string& payload) {
    require(payload.size() <= kMaxPayload, "payload: expected at most 1 MiB");
}

void checkWhen(const When& when) {
    require(when.isDate() || when.value().millis >= 0, "Negative delay.");
}

void checkSchemaName(const std::string& schema) {
    require(isText(schema, 48), "schema: expected 1 to 48 bytes of UTF-8");
}

void check(const NewTask& task) {
    checkKey(task.name, task.id);
    checkPayload(task.payload);
}

void check(const Options& options) {
    checkSchemaName(options.schema);
    require(options.concurrency >= 1 && options.concurrency <= 1000,
            "concurrency: expected 1 to 1000");
    require(toMicros(options.lease) >= 1'000'000, "lease: expected at least 1 s");
    require(toMicros(options.pollInterval) >= 10'000, "pollInterval: expected at least 10 ms");
    require(toMicros(options.operationTimeout) >= 1'000,
            "operationTimeout: expected at least 1 ms");
    require(!options.name || isText(*options.name, 200),
            "Options::name: expected 1 to 200 bytes of UTF-8");
}

void check(const TaskOptions& options) {
    require(!options.maxAttempts || *options.maxAttempts >= 1, "maxAttempts: expected at least 1");
    require(options.maxCrashes >= 1, "maxCrashes: expected at least 1");
    require(toMicros(options.firstBackoff) >= 0, "firstBackoff: expected 0 or more");
    require(toMicros(options.maxBackoff) >= 0, "maxBackoff: expected 0 or more");
}

}  // namespace jtimer::cluster::detail
