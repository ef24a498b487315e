// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace jtimer::detail {

/// The one thread of a timer: its name, its start and its end.
///
/// **The end.** A destructor joins; but a task may destroy its own timer, and a thread cannot join
/// itself. So finish() joins on every thread but this one, and there lets it go: nobody waits for
/// it any more, and it ends by itself. An owner that must not wait can call letGo() instead. What
/// the thread needs must therefore be owned by its body, not by the owner of this object, and this
/// object's own state is shared with the thread too.
///
/// **Unwinding.** pthread_exit and pthread_cancel end a thread behind the back of Boost.Thread,
/// which does not notice it: joining such a thread would wait for ever. It is detached instead.
///
/// **Forked children** have no such thread, and its locks may be held for ever by the thread that
/// is not there.
class OwnThread {
  public:
    OwnThread();
    OwnThread(const OwnThread&) = delete;
    OwnThread& operator=(const OwnThread&) = delete;
    /// The body may be running: see finish().
    ~OwnThread();

    /// Starts the thread, which calls `body` and ends. Can be called again after an error.
    ///
    /// It inherits the signal mask of the calling thread, as every thread does, and hands it on to
    /// the processes that user code starts: blocked signals would not end these. So a handler of
    /// the process may run on it, and ends none of its waits.
    /// \param name the thread carries its first 15 bytes, which is what Linux keeps
    /// \throws std::system_error "cannot start the thread of timer "NAME"" if the system has no
    ///   thread to give
    void start(const std::string& name, std::function<void()> body);

    /// Whether this is the calling thread; also while its thread_local objects are destroyed.
    bool isCurrent() const noexcept;

    /// Whether start() was called in another process, of which this one is a forked child.
    bool isOfAnotherProcess() const noexcept;

    /// Waits until the body has returned.
    /// \returns false if it still runs after `time`
    bool awaitEnd(std::chrono::milliseconds time);

    /// The end of the thread, for its owner: waits until the body has returned and the thread has
    /// been joined. On the thread itself it waits for nothing: the thread ends by itself. Without
    /// start(), and again, it returns at once. May be called by several threads at a time: each
    /// returns when the thread has ended. Must not be called in a forked child.
    void finish();

    /// The end of the thread, for an owner that does not wait: the thread ends by itself after its
    /// body. As finish() otherwise.
    void letGo();

  private:
    class State;
    const std::shared_ptr<State> state_;
};

}  // namespace jtimer::detail
