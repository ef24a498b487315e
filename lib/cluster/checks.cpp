// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/checks.hpp"

#include "cluster/micros.hpp"

#include <jtimer/exceptions.hpp>

#include <boost/locale/utf.hpp>

namespace jtimer::cluster::detail {

namespace {

constexpr std::size_t kMaxPayload = std::size_t{1} << 20;

void require(bool condition, const std::string& message) {
    if (!condition) throw IllegalArgumentException(message);
}

/// \param what an option of a task
void checkLimit(const std::string& what, const std::optional<int>& limit) {
    require(!limit || *limit >= 1, "TaskOptions::" + what + ": expected at least 1, not " +
                                       std::to_string(limit.value_or(1)));
}

}  // namespace

std::optional<std::uint32_t> takeCharacter(const std::string& text, std::size_t& at) {
    namespace utf = boost::locale::utf;
    const char* next = text.data() + at;
    const auto character = utf::utf_traits<char>::decode(next, text.data() + text.size());
    if (character == 0 || !utf::is_valid_codepoint(character)) return {};
    at = static_cast<std::size_t>(next - text.data());
    return character;
}

bool isText(const std::string& text, std::size_t maxBytes) {
    if (text.empty() || text.size() > maxBytes) return false;
    for (std::size_t at = 0; at < text.size();) {
        if (!takeCharacter(text, at)) return false;
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

void checkText(const char* what, const std::string& text) {
    require(text.empty() || isText(text, 200),
            std::string(what) + ": expected at most 200 bytes of UTF-8");
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

void check(const Filter& filter) {
    if (filter.name) checkKey("name", *filter.name);
    checkText("idPrefix", filter.idPrefix);
    checkText("runningOn", filter.runningOn);
    const bool continues = !filter.after.first.empty() || !filter.after.second.empty();
    require(!continues || filter.order == Order::Key, "after: expected Order::Key with it");
}

void checkSelects(const Filter& filter) {
    require(filter.name || filter.state || filter.dueBefore || !filter.idPrefix.empty() ||
                !filter.runningOn.empty(),
            "filter: expected a field that selects some of the tasks");
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
    require(!options.timeout || *options.timeout > 0, "timeout: expected more than 0");
    require(options.grace >= 0, "grace: expected 0 or more");
    checkLimit("concurrency", options.concurrency);
    checkLimit("clusterConcurrency", options.clusterConcurrency);
}

}  // namespace jtimer::cluster::detail
