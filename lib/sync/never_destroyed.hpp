// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <new>
#include <type_traits>

namespace jtimer::detail {

/// A T that is never destroyed, for a static variable that other static objects may use after
/// main() has returned. It is stored in the variable itself, so its first use allocates no memory.
template <class T>
class NeverDestroyed {
  public:
    NeverDestroyed() noexcept {
        static_assert(std::is_nothrow_default_constructible_v<T>, "the first use cannot fail");
        new (storage_) T;
    }
    NeverDestroyed(const NeverDestroyed&) = delete;
    NeverDestroyed& operator=(const NeverDestroyed&) = delete;

    T& get() noexcept { return *std::launder(reinterpret_cast<T*>(storage_)); }

  private:
    alignas(T) unsigned char storage_[sizeof(T)];
};

}  // namespace jtimer::detail
