// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// What a Store does with the runs that have ended.

#include "cluster/columns.hpp"
#include "cluster/store.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

namespace jtimer::cluster::detail {

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

/// In one transaction.
constexpr std::int64_t kPruneBatch = 10'000;

}  // namespace

void Store::keepHistory(History what, Micros age, std::uint64_t rows) {
    const auto keptRows = static_cast<std::int64_t>(std::min<std::uint64_t>(rows, kMost));
    const char* const name = kHistories[static_cast<int>(what)];
    write(statements::keepHistory(), Params().text(name).number(age).number(keptRows), {});
}

PastRuns Store::history(const HistoryFilter& filter) {
    namespace column = columns::past;
    constexpr std::size_t kLargest = std::numeric_limits<std::int32_t>::max() - 1;
    const std::size_t limit = std::min(filter.limit, kLargest);
    auto params = Params().number(filter.before > 0 ? filter.before : kMost);
    params.number(static_cast<std::int64_t>(limit + 1)).text(filter.name).text(filter.id);
    params.text(filter.outcome ? kOutcomes[static_cast<int>(*filter.outcome)] : "");
    const Result result = read(statements::history(filter), params);
    PastRuns past;
    past.complete = !result.boolean(0, column::More);
    for (int row = 0; row < result.rows() && !result.isNull(row, column::Token); ++row) {
        if (past.runs.size() == limit) {
            past.complete = false;
            break;
        }
        PastRun& run = past.runs.emplace_back();
        run.fencingToken = result.number(row, column::Token);
        run.name = result.text(row, column::Name);
        run.id = result.text(row, column::Id);
        run.node = result.text(row, column::Node);
        run.attempt = static_cast<int>(result.number(row, column::Attempt));
        run.due = toDate(result.time(row, column::Due));
        run.started = toDate(result.time(row, column::Started));
        run.finished = toDate(result.time(row, column::Finished));
        run.outcome =
            fromName(kOutcomes, result.text(row, column::Outcome), cluster::Outcome::Lost);
        run.error = result.text(row, column::Error);
    }
    return past;
}

std::optional<Pruning> Store::beginPruning() {
    return once([&]() -> std::optional<Pruning> {
        const Result result = execute(statements::beginPruning(), {});
        if (result.rows() == 0) return {};
        return Pruning{result.time(0, columns::pruning::Before),
                       result.number(0, columns::pruning::UpTo), 0};
    });
}

bool Store::prune(Pruning& pruning) {
    const auto params = Params()
                            .number(pruning.looked)
                            .time(pruning.before)
                            .number(pruning.upTo)
                            .number(kPruneBatch);
    const Result result = once(statements::prune(), params);
    pruning.looked = result.number(0, columns::pruned::Last);
    return result.number(0, columns::pruned::Count) != 0;
}

}  // namespace jtimer::cluster::detail
