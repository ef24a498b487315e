// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <boost/assert.hpp>

/// JTIMER_ASSERT(condition) checks what a comment promises, such as "the list must not be empty". A
/// failure is a mistake in this library, never in the program that uses it: what a user may get
/// wrong is checked always, and throws.
///
/// It is BOOST_ASSERT where JTIMER_ASSERTIONS is defined: in the tests and under sanitizers, see
/// ASSERTIONS in build-aux/variants.mk. Elsewhere the condition is compiled but never evaluated, so
/// what is installed pays nothing. A program and the library that it is linked with must agree, as
/// private headers have assertions in inline functions; public headers have none.
#if defined(JTIMER_ASSERTIONS)
#define JTIMER_ASSERT(condition) BOOST_ASSERT(condition)
#else
#define JTIMER_ASSERT(condition) (false ? static_cast<void>(condition) : static_cast<void>(0))
#endif
