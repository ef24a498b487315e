// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

/// Marks what the shared library exports. Everything else in it is built with hidden visibility.
#define JTIMER_API __attribute__((visibility("default")))

/// Marks a private member of an exported class that only the library calls.
#define JTIMER_LOCAL __attribute__((visibility("hidden")))
