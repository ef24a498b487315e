// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#define BOOST_TEST_MODULE jtimer
#include <boost/test/unit_test.hpp>
