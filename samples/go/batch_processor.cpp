// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A port of a batch processor: it writes records in batches of three, what there is every 100 ms,
// and the rest when it is told to stop. In Go:
//
//     for {
//         select {
//         case record, ok := <-records:
//             if !ok { flush("end"); return }
//             batch = append(batch, record)
//             if len(batch) == 3 { flush("full") }
//         case <-ticker.C:
//             flush("tick")
//         case <-ctx.Done():
//             flush(context.Cause(ctx).Error())
//             return
//         }
//     }
//
// On a manual clock, so that the sample takes no time and prints the same on each run.

#include <jtimer/go.hpp>

#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace {

using namespace std::chrono_literals;
using Records = jtimer::go::Chan<std::string>;

void processBatches(jtimer::go::Timers& timers, const jtimer::go::Context& ctx,
                    const Records& records) {
    std::vector<std::string> batch;
    const auto flush = [&batch](const std::string& why) {
        if (batch.empty()) return;
        std::cout << why << ':';
        for (const auto& each : batch) std::cout << ' ' << each;
        std::cout << '\n';
        batch.clear();
    };
    const auto ticker = timers.newTicker(100ms);
    for (;;) {
        std::optional<std::string> record;
        switch (jtimer::go::select({records.receiveInto(record), ticker.C(), ctx.done()}).index) {
        case 0:
            if (!record) return flush("end");
            batch.push_back(*record);
            if (batch.size() == 3) flush("full");
            break;
        case 1:
            flush("tick");
            break;
        default:
            return flush(ctx.cause().message());
        }
    }
}

}  // namespace

int main() {
    const auto clock = std::make_shared<jtimer::ManualClock>();
    jtimer::go::TimersOptions options;
    options.clock = clock;
    jtimer::go::Timers timers(options);

    const auto records = jtimer::go::makeChan<std::string>();
    const auto [ctx, cancel] = jtimer::go::withTimeoutCause(
        jtimer::go::background(timers), 950ms, std::make_error_code(std::errc::host_unreachable));
    // The name keeps it until the end of main.
    const jtimer::go::ScopedCancel deferred(cancel);

    // Go's `go`. A lambda of C++17 captures a structured binding only as a copy with a name.
    timers.afterFunc(0, [&timers, records, ctx = ctx] { processBatches(timers, ctx, records); });
    clock->waitUntilIdle();
    for (const char* const record : {"a", "b", "c", "d"}) records.send(record);
    clock->advance(920ms);
    records.send("e");
    clock->advance(2s);  // the context ends after 30 ms of these, before the next tick
    std::cout << ctx.err().message() << '\n';

    timers.afterFunc(0, [&timers, records] { processBatches(timers, {}, records); });
    clock->waitUntilIdle();
    records.send("f");
    records.close();
    clock->waitUntilIdle();
}
