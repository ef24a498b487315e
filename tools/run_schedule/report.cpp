// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "report.hpp"

#include "json_report.hpp"
#include "options.hpp"
#include "prefixed_report.hpp"
#include "watch.hpp"

#include <unistd.h>

bool Report::failing() const {
    const std::lock_guard lock(mutex_);
    return output_.failing();
}

void Report::write(std::string_view lines) {
    const std::lock_guard lock(mutex_);
    output_.write(lines);
    lostLines_ = output_.lostLines();
}

void Report::flush() {
    const std::lock_guard lock(mutex_);
    output_.flush();
    lostLines_ = output_.lostLines();
}

std::unique_ptr<Report> makeReport(const Options& options, Output& output) {
    switch (options.output) {
    case OutputForm::Raw:
        return std::make_unique<RawReport>(output, options.node, options.verbose);
    case OutputForm::Json:
        return std::make_unique<JsonReport>(output, options.node);
    case OutputForm::Prefixed:
        break;
    }
    if (options.watch && Watch::isPossible(STDOUT_FILENO))
        return std::make_unique<WatchReport>(output, options.node, options.verbose, STDOUT_FILENO);
    return std::make_unique<PrefixedReport>(output, options.node, options.verbose);
}
