// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A port of a batch processor. Its worker writes records in batches of three, what it has every
// 100 ms, and the rest when the channel is closed or the context is done. In Go:
//
//     func process(ctx context.Context, records <-chan string) {
//         var batch []string
//         flush := func(why string) {
//             if len(batch) == 0 { return }
//             fmt.Println(why+":", strings.Join(batch, " "))
//             batch = nil
//         }
//         ticker := time.NewTicker(100 * time.Millisecond)
//         defer ticker.Stop()
//         for {
//             select {
//             case record, ok := <-records:
//                 if !ok { flush("end"); return }
//                 batch = append(batch, record)
//                 if len(batch) == 3 { flush("full") }
//             case <-ticker.C:
//                 flush("tick")
//             case <-ctx.Done():
//                 flush(context.Cause(ctx).Error())
//                 return
//             }
//         }
//     }
//
//     func main() {
//         ctx, cancel := context.WithTimeoutCause(
//             context.Background(), 950*time.Millisecond, errors.New("Input/output error"))
//         defer cancel()
//         records := make(chan string)
//         var wait sync.WaitGroup
//         wait.Add(1)
//         go func() { defer wait.Done(); process(ctx, records) }()
//         for _, record := range []string{"a", "b", "c", "d"} { records <- record }
//         time.Sleep(920 * time.Millisecond)
//         records <- "e"
//         wait.Wait()
//         fmt.Println(ctx.Err())
//     }
//
// The port has Timers on a manual clock, so that it takes no time and prints the same on each run.
// There, to move the clock is to sleep, and it also waits for the worker.

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

void process(jtimer::go::Timers& timers, const jtimer::go::Context& ctx, const Records& records) {
    std::vector<std::string> batch;
    const auto flush = [&batch](const std::string& why) {
        if (batch.empty()) return;
        std::cout << why << ':';
        for (const auto& each : batch) std::cout << ' ' << each;
        std::cout << '\n';
        batch.clear();
    };
    const auto ticker = timers.newTicker(100ms);  // stops at the end of the scope
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

    const auto [ctx, cancel] = jtimer::go::withTimeoutCause(
        jtimer::go::background(timers), 950ms, std::make_error_code(std::errc::io_error));
    const jtimer::go::ScopedCancel deferred(cancel);  // without a name it would cancel at once
    const auto records = jtimer::go::makeChan<std::string>();
    const jtimer::go::Event done;
    // A lambda of C++17 cannot capture a structured binding by its name alone.
    timers.afterFunc(0, [&timers, records, done, ctx = ctx] {
        process(timers, ctx, records);
        done.set();
    });
    for (const char* const record : {"a", "b", "c", "d"}) records.send(record);
    clock->advance(920ms);
    records.send("e");
    clock->advance(30ms);  // the context is done after 950 ms
    done.receive();
    std::cout << ctx.err().message() << '\n';
}
