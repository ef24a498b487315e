// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "interleave/explored.hpp"

#include <jtimer/detail/block_allocator.hpp>

#include <array>

namespace {

using explore::check;
using explore::together;
using jtimer::detail::giveToBlock;
using jtimer::detail::takeFromBlock;

constexpr explore::Bounds kBounds{2, 1, 0, 20'000, 1'000};

}  // namespace

BOOST_AUTO_TEST_CASE(a_block_is_freed_once_after_all_use_of_its_objects) {
    everyInterleaving(kBounds, [] {
        // The first object of a size has a block of its own; the next two share one.
        std::array<int*, 3> objects{};
        for (int*& each : objects) each = new (takeFromBlock(sizeof(int))) int(1);
        const auto give = [&](int* object) {
            return [=] {
                check(*object == 1, "overwritten");
                *object = 2;
                giveToBlock(object);
            };
        };
        together({give(objects[0]), give(objects[1]), give(objects[2])});
    });
}

BOOST_AUTO_TEST_CASE(a_thread_that_ends_gives_back_the_second_object_that_it_keeps) {
    everyInterleaving(kBounds, [] {
        std::array<void*, 2> objects{};
        together({[&] {
            for (void*& each : objects) each = takeFromBlock(sizeof(int));
        }});
        together({[&] { giveToBlock(objects[0]); }, [&] { giveToBlock(objects[1]); }});
    });
}
