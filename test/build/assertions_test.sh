#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# What is installed has none of the library's assertions (lib/sync/assert.hpp), and the tests have them.
# A failed assertion prints its condition, so the text of one shows whether a file has them.
set -u

. test/support/cases.sh
: "${BUILD:=build}"

condition='isHeldBy(lock)'
has_assertions() { grep -aqF "$condition" "$1"; }

# --- the cases ----------------------------------------------------------------------------------

some_function_asserts_this_condition() {
    grep -rqF "JTIMER_ASSERT($condition);" lib
}

what_is_installed_has_no_assertions() {
    test -e "$BUILD/libjtimer.a" && ! has_assertions "$BUILD/libjtimer.a" &&
        test -e "$BUILD/libjtimer.so" && ! has_assertions "$BUILD/libjtimer.so"
}

# They may not have been built.
the_library_of_the_tests_has_assertions() {
    test ! -e "$BUILD/asserted/libjtimer.a" || has_assertions "$BUILD/asserted/libjtimer.a"
}

public_headers_have_no_assertions() {
    ! grep -rn 'JTIMER_ASSERT' include
}

check some_function_asserts_this_condition
check what_is_installed_has_no_assertions
check the_library_of_the_tests_has_assertions
check public_headers_have_no_assertions
sum_up
