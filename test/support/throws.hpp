// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <boost/test/unit_test.hpp>

#include <string>

/// Checks that `expression` throws `Exception` with exactly the message `text`.
#define CHECK_THROWS(expression, Exception, text)                                                  \
    BOOST_CHECK_EXCEPTION((void)(expression), Exception,                                           \
                          [&](const Exception& e) { return e.what() == std::string(text); })
