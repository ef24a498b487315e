// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "jdk/queue_extras.hpp"

#include <stdexcept>
#include <string>

namespace jtimer::detail {

void QueueExtras::place(QueueEntry* heap, std::size_t i, const QueueEntry& entry,
                        Extra extra) noexcept {
    heap[i] = entry;
    array_[i] = extra;
    if (extra.link != nullptr) extra.link->position = i;
}

void QueueExtras::replaceByLast(QueueEntry* heap, std::size_t size, std::size_t i) noexcept {
    if (array_[i].link != nullptr) array_[i].link->position = 0;
    if (i != size) place(heap, i, heap[size], array_[size]);
}

void QueueExtras::fixUp(QueueEntry* heap, std::size_t i) noexcept {
    const QueueEntry moving = heap[i];
    const Extra extra = array_[i];
    for (; i > 1 && isBefore(moving, extra, heap[i / 2], array_[i / 2]); i /= 2) {
        place(heap, i, heap[i / 2], array_[i / 2]);
    }
    place(heap, i, moving, extra);
}

void QueueExtras::fixDown(QueueEntry* heap, std::size_t size, std::size_t i) noexcept {
    if (2 * i > size) return;  // it has no children
    const QueueEntry moving = heap[i];
    const Extra extra = array_[i];
    for (std::size_t child = 2 * i; child <= size; i = child, child = 2 * i) {
        if (child < size &&
            isBefore(heap[child + 1], array_[child + 1], heap[child], array_[child]))
            ++child;
        if (!isBefore(heap[child], array_[child], moving, extra)) break;
        place(heap, i, heap[child], array_[child]);
    }
    place(heap, i, moving, extra);
}

void QueueExtras::forgetLinks(std::size_t size) noexcept {
    for (std::size_t i = 1; i <= size; ++i) {
        if (array_[i].link != nullptr) array_[i].link->position = 0;
        array_[i].link = nullptr;
    }
}

void QueueExtras::check(const QueueEntry* heap, std::size_t size) const {
    const auto fail = [](std::size_t i, const std::string& rule) {
        throw std::logic_error("QueueExtras: entry " + std::to_string(i) + ' ' + rule);
    };
    for (std::size_t i = 1; i <= size; ++i) {
        if (array_[i].link != nullptr && array_[i].link->position != i)
            fail(i, "is believed to be elsewhere");
        if (i > 1 && isBefore(heap[i], array_[i], heap[i / 2], array_[i / 2]))
            fail(i, "comes before its parent");
    }
}

}  // namespace jtimer::detail
