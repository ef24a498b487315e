// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/test.hpp"

#include <jtimer/detail/task_mistake.hpp>

using jtimer::detail::mistakeForTask;
using jtimer::detail::TaskMistake;

namespace {

struct Task {};
struct Public : Task {};
class Private : Task {};

template <class T>
constexpr TaskMistake mistake = mistakeForTask<Task, T>();

}  // namespace

// What each advice says, and that it does not compile, is tested by build/advice_test.sh.
BOOST_AUTO_TEST_CASE(only_a_smart_pointer_to_a_task_gets_advice) {
    BOOST_TEST((mistake<std::shared_ptr<Private>> == TaskMistake::PrivateBase));
    BOOST_TEST((mistake<std::unique_ptr<Private>> == TaskMistake::PrivateBase));
    BOOST_TEST((mistake<std::shared_ptr<const Public>> == TaskMistake::None));
    BOOST_TEST((mistake<std::shared_ptr<int>> == TaskMistake::None));
}

BOOST_AUTO_TEST_CASE(a62_a_task_of_another_timer_is_told_by_what_is_pointed_to) {
    struct Argument {};
    struct Other {};
    struct Derived : Other {};
    struct Both : Task, Other {};
    const auto told = [](auto of) {
        return jtimer::detail::taskMistake<Task, Argument, false, decltype(of), Other>();
    };
    BOOST_TEST((told(std::shared_ptr<Derived>()) == TaskMistake::Other));
    BOOST_TEST((told(std::unique_ptr<Other>()) == TaskMistake::Other));
    BOOST_TEST((told(static_cast<Derived*>(nullptr)) == TaskMistake::Other));
    BOOST_TEST((told(Derived()) == TaskMistake::Other));
    BOOST_TEST((told(static_cast<Both*>(nullptr)) == TaskMistake::RawPointer));
    BOOST_TEST((told(std::shared_ptr<Both>()) == TaskMistake::None));
}
