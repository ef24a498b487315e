// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

/// The version of these headers. It is written only in these three lines.
#define JTIMER_VERSION_MAJOR 0
#define JTIMER_VERSION_MINOR 1
#define JTIMER_VERSION_PATCH 0

/// The version as one number, for `#if`: 1.2.3 is 10203.
#define JTIMER_VERSION_NUMBER                                                                      \
    (JTIMER_VERSION_MAJOR * 10000 + JTIMER_VERSION_MINOR * 100 + JTIMER_VERSION_PATCH)

/// The version as text: "1.2.3".
#define JTIMER_VERSION                                                                             \
    JTIMER_DETAIL_TEXT(JTIMER_VERSION_MAJOR)                                                       \
    "." JTIMER_DETAIL_TEXT(JTIMER_VERSION_MINOR) "." JTIMER_DETAIL_TEXT(JTIMER_VERSION_PATCH)

#define JTIMER_DETAIL_TEXT(number) JTIMER_DETAIL_TEXT_OF(number)
#define JTIMER_DETAIL_TEXT_OF(number) #number
