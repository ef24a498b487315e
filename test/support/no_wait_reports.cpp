// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/wait_reports.hpp"

#include <string>

namespace test {

void forbidWaitReports() {
    jtimer::setWaitReportHandler([](const std::string& report) { BOOST_ERROR(report); });
}

}  // namespace test

namespace {

/// In each test program: a wait for a run that takes five seconds fails the test, which may hang.
struct NoWaitReports {
    NoWaitReports() { test::forbidWaitReports(); }
    ~NoWaitReports() { jtimer::setWaitReportHandler({}); }
};

}  // namespace

BOOST_TEST_GLOBAL_FIXTURE(NoWaitReports);
