// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "calendar/cron_model.hpp"
#include "fuzz/target.hpp"

#include <jtimer/exceptions.hpp>

#include <cstdint>
#include <limits>
#include <string>

using jtimer::detail::CronFields;

namespace {

/// Any text is refused, or names times: of those after `start`, each is the first that is later
/// than the minute before it, too.
void checkText(const std::string& text, std::int64_t start) try {
    const CronFields cron(text);
    std::int64_t time = start;
    for (int i = 0; i < 20; ++i) {
        const std::int64_t next = cron.next(time);
        if (next == std::numeric_limits<std::int64_t>::max()) return;
        MODEL_REQUIRE(next > time);
        MODEL_REQUIRE(cron.next(next - 1) == next);
        MODEL_REQUIRE(cron.next(time + (next - time) / 2) == next || next - time < 2);
        time = next;
    }
} catch (const jtimer::IllegalArgumentException&) {
}

void play(fuzz::Choices choices) {
    const auto start = static_cast<std::int64_t>(choices.bits(64));
    if (!choices.oneIn(2)) return checkText(choices.text(), start);
    const test::CronModel model(choices);
    checkText(model.text(), start);
    if (model.isEverDue()) model.compare(start % 1'000'000, 5);
}

const fuzz::Target target("cron", play);

}  // namespace
