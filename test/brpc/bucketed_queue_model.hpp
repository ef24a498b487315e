// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "brpc/bucketed_queue.hpp"
#include "support/choices.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <vector>

namespace test {

using jtimer::brpc::TaskId;
using jtimer::brpc::detail::Bucket;
using jtimer::brpc::detail::BucketedQueue;
using jtimer::brpc::detail::Slot;
using jtimer::brpc::detail::SlotPool;
using jtimer::detail::kNever;
using jtimer::detail::Lock;
using jtimer::detail::Nanos;

/// A BucketedQueue, and what the threads around it do, one step after the other.
struct QueueSteps {
    BucketedQueue queue;
    std::vector<TaskId> ran;

    explicit QueueSteps(std::size_t buckets = 1, std::size_t sweepMinSize = 4096,
                        SlotPool::Limits limits = {})
        : queue(buckets, sweepMinSize, limits) {}

    struct Scheduled {
        TaskId id;
        bool earlier;  // than all in the bucket
        bool signal;
    };
    Scheduled schedule(Nanos time, std::size_t b = 0) {
        Bucket& bucket = queue.buckets()[b];
        Slot* const slot = bucket.takeSlot(queue.pool());
        if (slot == nullptr) return {0, false, false};
        slot->fill({[](void*) {}, nullptr});
        slot->time = time;
        Scheduled result{slot->publish(), false, false};
        result.earlier = bucket.push(Lock(bucket.mutex), *slot, queue.pool());
        result.signal = result.earlier && queue.announce(time);
        return result;
    }

    bool unschedule(TaskId id) {
        Slot* const slot = queue.pool().find(id);
        return slot != nullptr && slot->beginRemoval(id) == Slot::Removal::Done;
    }

    void pull() {
        queue.beginRound();
        for (Bucket& bucket : queue.buckets()) queue.accept(bucket.takeAll(Lock(bucket.mutex)));
        queue.tidy();
        queue.check();
    }

    /// A whole round. \returns how long the thread sleeps
    Nanos round(Nanos now) {
        pull();
        while (queue.least() <= now) {
            Slot* const slot = queue.beginRun();
            MODEL_REQUIRE(slot != nullptr);
            queue.removeTop();
            ran.push_back(slot->id());
            queue.check();
            queue.recycle(*slot);
        }
        queue.endRound();
        queue.check();
        return queue.beginSleep();
    }
};

/// The same in the plainest way: what is pending, and both levels of nearest.
struct ReferenceQueue {
    std::map<TaskId, Nanos> pending;
    std::vector<Nanos> bucketNearest;
    Nanos nearest = kNever;

    Nanos least() const {
        Nanos least = kNever;
        for (const auto& [id, time] : pending) least = std::min(least, time);
        return least;
    }
};

/// Does the same to a queue and to the reference, and compares after every step.
class BucketedQueueModel {
  public:
    void step(Choices& choices) {
        const int what = choices.below(16);
        if (what < 8) {
            schedule(choices);
        } else if (what < 14) {
            unschedule(choices);
        } else {
            round(choices.below<Nanos>(16));
        }
        MODEL_REQUIRE(steps_.queue.nearest() == model_.nearest);
        steps_.queue.check();
    }

  private:
    static constexpr std::size_t kBuckets = 3;

    void schedule(Choices& choices) {
        const Nanos time = choices.oneIn(32) ? kNever : now_ + choices.below<Nanos>(64);
        const std::size_t b = choices.below(kBuckets);
        const auto [id, earlier, signal] = steps_.schedule(time, b);
        MODEL_REQUIRE(given_.insert(id).second);
        MODEL_REQUIRE(earlier == (time < model_.bucketNearest[b]));
        MODEL_REQUIRE(signal == (earlier && time < model_.nearest));
        model_.bucketNearest[b] = std::min(model_.bucketNearest[b], time);
        if (earlier) model_.nearest = std::min(model_.nearest, time);
        model_.pending.emplace(id, time);
    }

    void unschedule(Choices& choices) {
        if (given_.empty()) return;
        const auto id =
            *std::next(given_.begin(), static_cast<std::ptrdiff_t>(choices.below(given_.size())));
        MODEL_REQUIRE(steps_.unschedule(id) == (model_.pending.erase(id) == 1));
    }

    void round(Nanos later) {
        now_ += later;
        steps_.ran.clear();
        const Nanos until = steps_.round(now_);
        Nanos last = -1;
        for (const TaskId id : steps_.ran) {
            MODEL_REQUIRE(model_.pending.count(id) == 1U);
            MODEL_REQUIRE(last <= model_.pending[id]);
            MODEL_REQUIRE(model_.pending[id] <= now_);
            last = model_.pending[id];
            model_.pending.erase(id);
        }
        MODEL_REQUIRE(until == model_.least());
        MODEL_REQUIRE(until > now_);
        model_.nearest = until;
        std::fill(model_.bucketNearest.begin(), model_.bucketNearest.end(), kNever);
    }

    QueueSteps steps_{kBuckets, 16};
    ReferenceQueue model_{{}, std::vector<Nanos>(kBuckets, kNever), kNever};
    std::set<TaskId> given_;
    Nanos now_ = 0;
};

}  // namespace test
