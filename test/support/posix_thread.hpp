// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <functional>
#include <pthread.h>
#include <system_error>
#include <utility>

namespace test {

/// A thread that can be cancelled, as pthread_cancel has it.
class PosixThread {
  public:
    explicit PosixThread(std::function<void()> body) : body_(std::move(body)) {
        const int error = pthread_create(&thread_, nullptr, run, this);
        if (error != 0) throw std::system_error(error, std::generic_category());
    }
    PosixThread(const PosixThread&) = delete;
    PosixThread& operator=(const PosixThread&) = delete;
    ~PosixThread() = default;

    void cancel() { pthread_cancel(thread_); }

    /// \returns whether the thread has come to the end of its body
    bool join() {
        void* result = nullptr;
        pthread_join(thread_, &result);
        return result == this;
    }

  private:
    static void* run(void* self) {
        static_cast<PosixThread*>(self)->body_();
        return self;
    }

    const std::function<void()> body_;
    pthread_t thread_{};
};

}  // namespace test
