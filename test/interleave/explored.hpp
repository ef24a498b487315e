// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "interleave/engine/explore.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <functional>
#include <string>

/// Fails the test case if an interleaving of the threads that `body` starts fails. With
/// EXPLORE_TRACE in the environment it plays only that one; with EXPLORE_DEEPER=N, each bound is
/// greater by N, and there are far more executions.
inline void everyInterleaving(explore::Bounds bounds, const std::function<void()>& body) {
    if (const char* const deeper = std::getenv("EXPLORE_DEEPER"); deeper != nullptr) {
        const auto by = static_cast<unsigned>(std::stoul(deeper));
        bounds.preemptions += by;
        bounds.staleReads += by;
        bounds.most *= 50;
        bounds.random *= 50;
    }
    const char* const trace = std::getenv("EXPLORE_TRACE");
    const explore::Result result =
        trace != nullptr ? explore::replay(bounds, body, trace) : explore::search(bounds, body);
    BOOST_TEST_MESSAGE(result.executions << " executions" << (result.complete ? ", all" : ""));
    BOOST_TEST(result.failure.empty(),
               result.failure << "\n"
                              << result.events << "EXPLORE_TRACE='" << result.trace
                              << "' --run_test="
                              << boost::unit_test::framework::current_test_case().full_name());
}
