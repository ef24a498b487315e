// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "sync/address_sanitizer.hpp"

#include <cstddef>

#if defined(__ELF__)
// Only in an ELF file may a weak symbol stay undefined.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" [[gnu::weak]] void __asan_poison_memory_region(const volatile void*, std::size_t);
#elif !defined(_WIN32)
#include <dlfcn.h>
#endif

namespace jtimer::detail {

bool hasAddressSanitizer() noexcept {
#if defined(__ELF__)
    return __asan_poison_memory_region != nullptr;
#elif defined(_WIN32)
    return false;  // MinGW has none
#else
    return dlsym(RTLD_DEFAULT, "__asan_poison_memory_region") != nullptr;
#endif
}

}  // namespace jtimer::detail
