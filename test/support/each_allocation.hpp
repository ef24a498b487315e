// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "support/failing_new.hpp"
#include "support/faulty_clock.hpp"

#include <boost/test/unit_test.hpp>

#include <functional>
#include <new>
#include <optional>
#include <string>
#include <vector>

namespace test {

/// A public call, on a fresh `Fixture`: a timer on a FaultyClock, with what the call needs. The
/// fixture has state(), what a caller can see of it; inside(f), which has the timer's thread call
/// `f`; and goesOn(), which checks that a new task runs. settle() frees what the calling thread
/// keeps for reuse.
template <class Fixture>
struct Call {
    const char* name;
    /// \returns false if it has reported that there is no memory, instead of std::bad_alloc
    std::function<bool(Fixture&)> call;
    bool mayBeInside = true;  ///< whether it can be called on the timer's thread
};

/// What fails: an allocation, or a reading of the clock.
struct AllocationFails {
    using Left = AllocationsLeft;
    using Exception = std::bad_alloc;
    static constexpr const char* name = "allocation";
    static long count() { return allocationsFailed(); }
};
struct ReadingFails {
    using Left = ReadingsLeft;
    using Exception = NoTime;
    static constexpr const char* name = "reading";
    static long count() { return readingsFailed(); }
};

/// Where the call is made, and which of them fail: the n-th, or also those after it.
struct Shortage {
    bool inside;
    bool once;
    long n;
};

/// The state of a fixture after a run on the timer's thread, if the call is made in one.
template <class Fixture>
std::string stateBefore(bool inside) {
    Fixture fixture;
    if (inside) fixture.inside([] {});
    return fixture.state();
}

/// Makes the call once. \returns whether nothing failed
template <class Fails, class Fixture>
bool isMadeWithoutFailure(const Call<Fixture>& tried, const Shortage& shortage) {
    bool done = false;
    bool failed = false;
    const std::string state = stateBefore<Fixture>(shortage.inside);
    Fixture::settle();
    const long before = livingAllocations();
    {
        Fixture fixture;
        const auto make = [&] {
            const long failuresBefore = Fails::count();
            const typename Fails::Left left(shortage.n, shortage.once);
            try {
                done = tried.call(fixture);
            } catch (const typename Fails::Exception&) {
            }
            failed = Fails::count() != failuresBefore;
        };
        if (shortage.inside) {
            fixture.inside(make);
        } else {
            make();
        }
        BOOST_TEST((done || failed));
        if (!done) BOOST_TEST(fixture.state() == state);
        fixture.goesOn();
    }
    Fixture::settle();
    const long leaked = livingAllocations() - before;
    BOOST_TEST(leaked == 0);
    return done && !failed;
}

/// Makes each call again and again on fresh fixtures, while its first allocation fails, its second
/// and so on, until none fails. A call that throws must have changed nothing; after it the timer
/// must go on, and in the end nothing is leaked.
template <class Fails, class Fixture>
void checkEach(const std::vector<Call<Fixture>>& calls) {
    for (const Call<Fixture>& call : calls) {
        for (const bool inside : {false, true}) {
            if (inside && !call.mayBeInside) continue;
            for (const bool once : {false, true}) {
                constexpr long all = -1;  // first, for what the process allocates only once
                bool done = false;
                for (long n = all; !done || n == 0; ++n) {
                    BOOST_TEST_CONTEXT(call.name << (inside ? ", inside" : "")
                                                 << (once ? ", once" : "") << ", " << Fails::name
                                                 << ' ' << n) {
                        BOOST_REQUIRE(n < 100);
                        done = isMadeWithoutFailure<Fails>(call, Shortage{inside, once, n});
                    }
                }
            }
        }
    }
}

template <class Fixture>
void checkEachAllocation(const std::vector<Call<Fixture>>& calls) {
    checkEach<AllocationFails>(calls);
}

/// Makes each call again and again, while each reading of the clock on its thread fails in turn.
template <class Fixture>
void checkEachReading(const std::vector<Call<Fixture>>& calls) {
    checkEach<ReadingFails>(calls);
}

}  // namespace test
