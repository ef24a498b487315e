// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace test {

/// The JDK's TaskQueue with its tests left out: pointers to nodes, swaps, no hole. What J94 says,
/// again and as literally as possible.
template <class Entry>
class JdkHeap {
  public:
    std::vector<Entry> entries{Entry{}};  ///< entry 0 is not used

    explicit JdkHeap(std::function<std::int64_t(const Entry&)> time) : time_(std::move(time)) {}

    std::size_t size() const { return entries.size() - 1; }

    void add(Entry entry) {
        entries.push_back(entry);
        for (std::size_t k = size(); k > 1 && time(k / 2) > time(k); k /= 2) {
            std::swap(entries[k / 2], entries[k]);
        }
    }
    void quickRemove(std::size_t i) {
        entries[i] = entries.back();
        entries.pop_back();
    }
    Entry removeMin() {
        const Entry min = entries[1];
        quickRemove(1);
        fixDown(1);
        return min;
    }
    /// After the time of entry k has become later.
    void fixDown(std::size_t k) {
        for (std::size_t j = 2 * k; j <= size(); k = j, j = 2 * k) {
            if (j < size() && time(j) > time(j + 1)) ++j;
            if (time(k) <= time(j)) return;
            std::swap(entries[j], entries[k]);
        }
    }
    void heapify() {
        for (std::size_t i = size() / 2; i >= 1; --i) fixDown(i);
    }

  private:
    std::int64_t time(std::size_t i) const { return time_(entries[i]); }

    const std::function<std::int64_t(const Entry&)> time_;
};

}  // namespace test
