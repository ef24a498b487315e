// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

/// The version of these headers, MAJOR.MINOR.PATCH. The one place where it is written.
#define JTIMER_VERSION "0.1.0"
