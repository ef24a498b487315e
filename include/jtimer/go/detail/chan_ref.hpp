// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>
#include <jtimer/time.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace jtimer::go {
class Access;
}

namespace jtimer::go::detail {

class ChanCell;

/// A value on its way through a Chan, as a ChanValue of its type.
class JTIMER_API ChanNode {
  public:
    ChanNode() noexcept = default;
    ChanNode(const ChanNode&) = delete;
    ChanNode& operator=(const ChanNode&) = delete;
    virtual ~ChanNode();

  private:
    friend class ChanQueue;

    ChanNode* next_ = nullptr;
};

template <class T>
class ChanValue final : public ChanNode {
    static_assert(std::is_nothrow_move_constructible_v<T>,
                  "The values of a Chan must be movable, and their moves noexcept.");

  public:
    explicit ChanValue(T&& from) noexcept : value(std::move(from)) {}

    T value;
};

/// How a select moves a value between a Chan and the variable of a Case. The functions run on the
/// thread of the select, with no lock held.
struct ChanTransfer {
    /// Moves the variable's value to a new node, to be sent. Null: the case receives.
    std::unique_ptr<ChanNode> (*take)(void* variable);
    /// Moves what was received to the variable, or empties that if there is no node; or moves what
    /// was not sent back to the variable.
    void (*put)(void* variable, ChanNode* node) noexcept;
};

/// The functions of ChanTransfers for values of T.
template <class T>
struct ChanMoves {
    static T& valueIn(ChanNode& node) noexcept { return static_cast<ChanValue<T>&>(node).value; }

    static std::unique_ptr<ChanNode> take(void* variable) {
        return std::make_unique<ChanValue<T>>(std::move(*static_cast<T*>(variable)));
    }
    static void putBack(void* variable, ChanNode* node) noexcept {
        static_assert(std::is_nothrow_move_assignable_v<T>,
                      "What was not sent is moved back: the moves must be noexcept.");
        *static_cast<T*>(variable) = std::move(valueIn(*node));
    }
    static void putReceived(void* variable, ChanNode* node) noexcept {
        auto& value = *static_cast<std::optional<T>*>(variable);
        if (node == nullptr)
            value.reset();
        else
            value.emplace(std::move(valueIn(*node)));
    }
};

/// A handle of a Chan of any type. Null: nil.
class JTIMER_API ChanRef {
  public:
    ChanRef() noexcept = default;
    explicit ChanRef(std::size_t capacity);
    ChanRef(const ChanRef& other) noexcept;
    ChanRef(ChanRef&& other) noexcept;
    ChanRef& operator=(ChanRef other) noexcept;
    ~ChanRef();

    explicit operator bool() const noexcept { return cell_ != nullptr; }
    friend bool operator==(const ChanRef& a, const ChanRef& b) noexcept {
        return a.cell_ == b.cell_;
    }

    void send(std::unique_ptr<ChanNode> node) const;
    /// Must not be null. \returns whether it has taken the node
    bool trySend(std::unique_ptr<ChanNode>& node) const;
    ///@{ \returns null if there is none: because the Chan is closed, or none came in time
    std::unique_ptr<ChanNode> receive() const;
    std::unique_ptr<ChanNode> tryReceive() const;
    std::unique_ptr<ChanNode> receiveFor(TimeSpan timeout) const;
    ///@}
    void close() const;
    bool isClosed() const noexcept;
    std::size_t len() const noexcept;
    std::size_t cap() const noexcept;

  private:
    friend class go::Access;

    /// Holds a reference.
    ChanCell* cell_ = nullptr;
};

}  // namespace jtimer::go::detail
