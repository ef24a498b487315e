// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <benchmark/benchmark.h>

BENCHMARK_MAIN();
