// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace jtimer::detail {

/// The room for a callable in each task, in timers that store callables themselves. A larger
/// callable is on the heap, and the task stores its address.
inline constexpr std::size_t kCallableSize = 32;
inline constexpr std::size_t kCallableAlign = 16;

/// The operations on a stored callable of unknown type.
struct CallableOps {
    void (*invoke)(void* storage);
    void (*destroy)(void* storage) noexcept;  ///< null: nothing to do
};

/// Refers to a function that constructs a callable in a task's storage. \returns false: no memory
class Emplacer {
  public:
    template <class Function>
    explicit Emplacer(Function& function)
        : function_(&function),
          call_([](void* f, void* storage) { return (*static_cast<Function*>(f))(storage); }) {}
    bool operator()(void* storage) const { return call_(function_, storage); }

  private:
    void* function_;
    bool (*call_)(void*, void*);
};

/// How a Callable is kept in a task's storage.
template <class Callable>
struct StoredCallable {
    static constexpr bool kInline =
        sizeof(Callable) <= kCallableSize && alignof(Callable) <= kCallableAlign;

    template <class F>
    static bool emplace(void* storage, F&& callable) {
        if constexpr (kInline) {
            ::new (storage) Callable(std::forward<F>(callable));
            return true;
        } else {
            auto* const made = ::new (std::nothrow) Callable(std::forward<F>(callable));
            ::new (storage) Callable*(made);
            return made != nullptr;
        }
    }

    static Callable& in(void* storage) noexcept {
        if constexpr (kInline) {
            return *std::launder(static_cast<Callable*>(storage));
        } else {
            return **std::launder(static_cast<Callable**>(storage));
        }
    }

    static void invoke(void* storage) { static_cast<void>(std::invoke(in(storage))); }

    static void destroy(void* storage) noexcept {
        if constexpr (kInline) {
            in(storage).~Callable();
        } else {
            ::delete std::addressof(in(storage));
        }
    }

    static constexpr CallableOps ops{
        invoke, kInline&& std::is_trivially_destructible_v<Callable> ? nullptr : destroy};
};

}  // namespace jtimer::detail
