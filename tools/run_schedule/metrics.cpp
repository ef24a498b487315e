// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "metrics.hpp"

#include "../text/metrics_text.hpp"
#include "../text/time_text.hpp"
#include "replace_file.hpp"

#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <stdexcept>
#include <utility>

using std::chrono::nanoseconds;

namespace {

std::string inSeconds(nanoseconds time) { return inDecimal(time.count(), 9); }

std::string label(const std::string& name) { return "task=" + inLabel(name); }

/// Writes one metric after another, each for all tasks.
class Text {
  public:
    explicit Text(const std::vector<Record>& records) : records_(records) {}

    void head(const std::string& name, const char* type, const char* help) {
        text_ += "# HELP run_schedule_" + name + ' ' + help + "\n# TYPE run_schedule_" + name +
                 ' ' + type + '\n';
    }

    /// \param value an empty text: the task has none
    void values(const std::string& name, const std::function<std::string(const Record&)>& value,
                const std::string& moreLabels = "") {
        for (const Record& record : records_) {
            const std::string text = value(record);
            if (text.empty()) continue;
            text_.append("run_schedule_").append(name).append("{").append(label(record.name));
            text_.append(moreLabels).append("} ").append(text).append("\n");
        }
    }

    void counts(const std::string& name, const char* help,
                const std::function<std::int64_t(const Record&)>& count) {
        head(name, "counter", help);
        values(name, [&](const Record& record) { return std::to_string(count(record)); });
    }

    void dates(const std::string& name, const char* help,
               const std::function<std::optional<jtimer::Date>(const Record&)>& date) {
        head(name, "gauge", help);
        values(name, [&](const Record& record) {
            const std::optional<jtimer::Date> when = date(record);
            return when ? inSeconds(when->time_since_epoch()) : "";
        });
    }

    /// A metric without a task.
    void single(const std::string& name, const char* type, const char* help,
                const std::string& value) {
        head(name, type, help);
        text_.append("run_schedule_").append(name).append(" ").append(value).append("\n");
    }

    std::string take() { return std::move(text_); }

  private:
    const std::vector<Record>& records_;
    std::string text_;
};

}  // namespace

bool operator==(const Overview& one, const Overview& other) {
    return one.tasks == other.tasks && one.start == other.start &&
           one.isReloaded == other.isReloaded && one.lostLines == other.lostLines &&
           one.databaseUp == other.databaseUp;
}

std::string metricsOf(const std::vector<Record>& records, const Overview& overview) {
    Text text(records);
    const auto runs = [](const Record& r) { return std::to_string(r.lateness.count()); };
    text.counts("runs_total", "Runs that have begun.",
                [](const Record& r) { return static_cast<std::int64_t>(r.lateness.count()); });
    text.counts("failures_total", "Runs that have failed, with all their retries.",
                &Record::failures);
    text.counts("retries_total", "Commands that were run again.", &Record::retries);
    text.counts("skipped_total", "Runs that were due and did not begin.", &Record::skipped);

    text.counts("timeouts_total", "Commands that took too long.", &Record::timeouts);
    text.counts("overruns_total", "Runs in progress when the next one was due.", &Record::overruns);

    text.head("running", "gauge", "Whether the command runs.");
    text.values("running", [](const Record& r) { return r.runningSince ? "1" : "0"; });
    text.head("dead", "gauge", "Whether the task was given up in the cluster.");
    text.values("dead", [](const Record& r) { return r.isDead ? "1" : "0"; });
    text.dates("last_success_timestamp_seconds", "When a command last succeeded.",
               &Record::lastSuccess);
    text.dates("last_failure_timestamp_seconds", "When a command last failed.",
               &Record::lastFailure);
    text.dates("running_since_timestamp_seconds", "When the command that runs has begun.",
               &Record::runningSince);
    text.dates("next_run_timestamp_seconds", "When a run is due next.", &Record::next);

    text.head("duration_seconds", "summary", "How long the commands took.");
    text.values("duration_seconds_sum", [](const Record& r) { return inSeconds(r.commandTime); });
    text.values("duration_seconds_count",
                [](const Record& r) { return std::to_string(r.commands); });

    text.head("lateness_seconds", "summary", "Actual starts of the runs minus planned ones.");
    for (const int percent : {50, 99}) {
        text.values(
            "lateness_seconds",
            [&](const Record& r) {
                return r.lateness.count() == 0 ? "" : inSeconds(r.lateness.percentile(percent));
            },
            ",quantile=\"0." + std::to_string(percent == 50 ? 5 : percent) + '"');
    }
    text.values("lateness_seconds_sum", [](const Record& r) { return inSeconds(r.latenessSum); });
    text.values("lateness_seconds_count", runs);

    text.single("tasks", "gauge", "Tasks of the schedule.", std::to_string(overview.tasks));
    text.single("start_time_seconds", "gauge", "When run_schedule started.",
                inSeconds(overview.start.time_since_epoch()));
    text.single("last_reload_successful", "gauge", "Whether the last reload succeeded.",
                overview.isReloaded ? "1" : "0");
    text.single("lost_lines_total", "counter", "Lines of output that could not be written.",
                std::to_string(overview.lostLines));
    if (overview.databaseUp) {
        text.single("database_up", "gauge", "Whether the database answered when last asked.",
                    *overview.databaseUp ? "1" : "0");
    }
    return text.take();
}

void replaceMetrics(const std::string& fileName, const std::string& text) {
    const auto fail = [&](const std::string& why) {
        throw std::runtime_error("cannot write " + fileName + ": " + why);
    };
    const std::string why = whyNotReplaced(fileName);
    if (!why.empty()) fail(why);
    const int error = replaceFile(fileName, text, false);
    if (error != 0) fail(strerror(error));
}

bool MetricsFile::write(const Ledger& ledger, const Overview& overview) {
    const std::uint64_t version = ledger.version();
    if (!exists() || (version == version_ && overview == overview_)) return true;
    try {
        replaceMetrics(fileName_, metricsOf(ledger.records(), overview));
        version_ = version;
        overview_ = overview;
        return true;
    } catch (const std::runtime_error& e) {
        failure_ = e.what();
        return false;
    }
}
