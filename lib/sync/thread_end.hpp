// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

namespace jtimer::detail {

/// The end of the calling thread, when functions that the thread has asked for are called. What
/// they give back can be plain thread_local data without a destructor, so that an access to it need
/// not check whether it has been constructed.
///
/// On the library's own threads the end comes with that of their OwnThreadEnd, on others among the
/// destructors of thread_local objects.
class ThreadEnd {
  public:
    /// A function to be called: a thread_local variable.
    struct Call {
        void (*function)() noexcept;
        Call* next = nullptr;
        bool isAwaited = false;
    };

    /// Asks for the call. Must not be called when the end has come.
    static void await(Call& call) noexcept;

    /// Whether the calls have begun. From then on nothing will be given back any more; but
    /// destructors of thread_local objects may still run.
    ///
    /// Always true on Windows, on other threads than the library's: MinGW frees thread_local data
    /// before it calls those destructors, so there is nothing left to give back.
    static bool hasCome() noexcept;
};

}  // namespace jtimer::detail
