// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <cstring>
#include <memory>
#include <new>
#include <utility>

namespace jtimer::netty::detail {

/// A reference of an object to itself, which the object's owner can take away, after which the
/// object can still make more references while it has any: as std::enable_shared_from_this, which
/// however takes another 16 bytes, and two atomic operations for each object. Both matter where
/// there are millions of objects.
///
/// Once constructed by hold(), the shared_ptr in it is never written again. So any thread that has
/// a reference to the object may copy it at any time, even while another thread takes it.
///
/// take() copies the bytes of the shared_ptr, and so moves the reference without a write to the
/// source. The C++ standard does not promise that this works; it does with every shared_ptr that
/// does not know its own address, as those of libstdc++ and libc++.
template <class T>
class SelfReference {
  public:
    // Neither defaulted: the shared_ptr is constructed by hold(), and take() has its reference.
    SelfReference() noexcept {}   // NOLINT(modernize-use-equals-default)
    ~SelfReference() noexcept {}  // NOLINT(modernize-use-equals-default)
    SelfReference(const SelfReference&) = delete;
    SelfReference& operator=(const SelfReference&) = delete;

    /// To be called before other threads know of the object. From now on it keeps itself alive.
    void hold(std::shared_ptr<T> self) noexcept {
        ::new (static_cast<void*>(&pointer_)) std::shared_ptr<T>(std::move(self));
    }

    /// To be called once for each hold(), by the owner of the reference.
    std::shared_ptr<T> take() noexcept {
        SelfReference copy;
        std::memcpy(static_cast<void*>(&copy.pointer_), static_cast<const void*>(&pointer_),
                    sizeof(pointer_));
        return std::move(copy.pointer_);
    }

    /// For copying, by a thread that has a reference to the object.
    const std::shared_ptr<T>& get() const noexcept { return pointer_; }

  private:
    union {
        std::shared_ptr<T> pointer_;
    };
};

}  // namespace jtimer::netty::detail
