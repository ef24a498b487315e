// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "interleave/explored.hpp"
#include "thread/own_thread.hpp"

#include <memory>

namespace {

using explore::check;
using explore::together;
using jtimer::detail::OwnThread;

constexpr explore::Bounds kBounds{2, 1, 0, 20'000, 1'000};

/// Written last by the thread: by the destructor of its thread_local object.
int* end = nullptr;

struct AtEnd {
    ~AtEnd() { *end = 2; }
};

void body() {
    thread_local const AtEnd atEnd;
    static_cast<void>(&atEnd);
    *end = 1;
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_thread_that_finishes_it_returns_after_its_end) {
    everyInterleaving(kBounds, [] {
        int state = 0;
        end = &state;
        OwnThread thread;
        thread.start("x", body);
        const auto finish = [&] {
            thread.finish();
            check(state == 2, "it has not ended");
        };
        together({finish, finish});
    });
}

BOOST_AUTO_TEST_CASE(a_thread_that_is_let_go_ends_on_its_own) {
    everyInterleaving(kBounds, [] {
        const auto state = std::make_shared<int>(0);
        OwnThread thread;
        thread.start("x", [state] { ++*state; });
        thread.letGo();
    });
}
