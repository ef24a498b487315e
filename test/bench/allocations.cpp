// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "bench/tally.hpp"

#include <cstdlib>
#include <new>

// The operators new and delete of the benchmarks, which count. Those for arrays, and those that
// return null, call these; the queue's array comes from the aligned ones, or has pages of its own,
// and is not counted.

void* operator new(std::size_t size) {
    ++bench::tally.allocations;
    if (void* memory = std::malloc(size != 0 ? size : 1)) return memory;
    throw std::bad_alloc();
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
