// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <cassert>

namespace jtimer::detail {

/// What an element of an IntrusiveList<T, Tag> derives from: its two links. An element that may be
/// in several lists at a time derives from a hook with a Tag of its own for each.
template <class Tag = void>
class ListHook {
  public:
    ListHook() noexcept = default;
    ListHook(const ListHook&) = delete;
    ListHook& operator=(const ListHook&) = delete;

    bool isLinked() const noexcept { return next_ != nullptr; }

    /// Takes the element out of the list that it is in.
    void unlink() noexcept {
        assert(isLinked());
        previous_->next_ = next_;
        next_->previous_ = previous_;
        next_ = previous_ = nullptr;
    }

  protected:
    ~ListHook() = default;

  private:
    template <class, class>
    friend class IntrusiveList;

    /// Both null: in no list.
    ListHook* next_ = nullptr;
    ListHook* previous_ = nullptr;
};

/// A doubly linked list whose elements bring their own links: to add and to remove one allocates
/// nothing, takes constant time and cannot fail. It does not own them: an element must be taken out
/// before it is destroyed, and the list be empty when it is destroyed itself.
template <class T, class Tag = void>
class IntrusiveList {
    using Hook = ListHook<Tag>;

  public:
    IntrusiveList() noexcept { end_.next_ = end_.previous_ = &end_; }
    IntrusiveList(const IntrusiveList&) = delete;
    IntrusiveList& operator=(const IntrusiveList&) = delete;
    ~IntrusiveList() { assert(empty()); }

    bool empty() const noexcept { return end_.next_ == &end_; }

    /// Null if the list is empty.
    T* front() const noexcept { return elementAt(end_.next_); }

    /// The element behind this one, null at the end.
    T* next(const T& element) const noexcept { return elementAt(hookOf(element).next_); }

    void pushBack(T& element) noexcept { insert(element, *end_.previous_, end_); }
    void pushFront(T& element) noexcept { insert(element, end_, *end_.next_); }

    /// The first element, which leaves the list; null if there is none.
    T* popFront() noexcept {
        T* const first = front();
        if (first != nullptr) static_cast<Hook&>(*first).unlink();
        return first;
    }

    /// Takes over all elements of `other`, behind its own.
    void append(IntrusiveList& other) noexcept {
        if (other.empty()) return;
        Hook* const first = other.end_.next_;
        Hook* const last = other.end_.previous_;
        first->previous_ = end_.previous_;
        end_.previous_->next_ = first;
        last->next_ = &end_;
        end_.previous_ = last;
        other.end_.next_ = other.end_.previous_ = &other.end_;
    }

  private:
    struct End final : Hook {
        ~End() = default;
    };

    static void insert(Hook& hook, Hook& previous, Hook& next) noexcept {
        assert(!hook.isLinked());
        hook.previous_ = &previous;
        hook.next_ = &next;
        previous.next_ = &hook;
        next.previous_ = &hook;
    }

    static const Hook& hookOf(const T& element) noexcept { return element; }

    T* elementAt(Hook* hook) const noexcept {
        return hook == &end_ ? nullptr : static_cast<T*>(hook);
    }

    /// Between the last element and the first.
    End end_;
};

}  // namespace jtimer::detail
