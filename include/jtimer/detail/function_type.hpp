// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <cstddef>
#include <functional>
#include <type_traits>

namespace jtimer::detail {

/// Describes the type of a callable without arguments to code that does not know it: how timers
/// that store callables themselves keep them.
struct FunctionType {
    std::size_t size;
    std::size_t alignment;
    void (*call)(void* function);
    void (*destroy)(void* function) noexcept;  ///< null: nothing to do
};

template <class Function>
inline constexpr FunctionType functionType{
    sizeof(Function), alignof(Function),
    [](void* function) { static_cast<void>(std::invoke(*static_cast<Function*>(function))); },
    std::is_trivially_destructible_v<Function>
        ? nullptr
        : +[](void* function) noexcept { static_cast<Function*>(function)->~Function(); }};

/// Refers to a function that constructs a callable of some FunctionType in storage of its size and
/// alignment.
class FunctionMaker {
  public:
    template <class Make>
    explicit FunctionMaker(const FunctionType& type, const Make& make) noexcept
        : type_(type), make_(&make), call_([](const void* function, void* storage) {
              (*static_cast<const Make*>(function))(storage);
          }) {}

    const FunctionType& type() const noexcept { return type_; }
    /// \throws what copying or moving the callable throws
    void operator()(void* storage) const { call_(make_, storage); }

  private:
    const FunctionType& type_;
    const void* const make_;
    void (*const call_)(const void*, void*);
};

}  // namespace jtimer::detail
