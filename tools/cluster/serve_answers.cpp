// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "serve_answers.hpp"

#include <jtimer/clock.hpp>

#include <algorithm>

namespace cluster_tool {

Answers::Result Answers::resultOf(const Lock&, Visit& visit, const Known& known) const {
    if (awaySince_) {
        visit.awaySince = awaySince_;
        visit.whyAway = whyAway_;
    }
    if (!known.value.has_value() || (!known.why.empty() && !awaySince_))
        return {{}, awaySince_ ? whyAway_ : known.why};
    visit.oldest = std::min(visit.oldest.value_or(known.read), known.read);
    return {known.value, {}};
}

/// For a new question, the one that was asked longest ago is dropped if there are too many.
std::shared_ptr<Answers::Known> Answers::knownOf(const Lock&, const std::string& question) {
    const auto found = known_.find(question);
    if (found != known_.end()) return found->second;
    const auto known = std::make_shared<Known>();
    known->asked = Clock::now();
    known_.emplace(question, known);
    std::size_t count = 0;
    auto oldest = known_.end();
    for (auto each = known_.begin(); each != known_.end(); ++each) {
        if (each->first.find('?') == std::string::npos) continue;
        ++count;
        if (oldest == known_.end() || each->second->asked < oldest->second->asked) oldest = each;
    }
    if (count > limits_.kept) known_.erase(oldest);
    return known;
}

Answers::Result Answers::get(Visit& visit, const std::string& question,
                             const std::function<std::any()>& read) {
    Lock lock(mutex_);
    const std::shared_ptr<Known> known = knownOf(lock, question);
    while (known->isBeingAsked && !awaySince_ && !isClosed_) asked_.wait(lock);
    const Clock::time_point now = Clock::now();
    if (known->isFresh && now - known->asked < limits_.shared) return resultOf(lock, visit, *known);
    if (isClosed_ || now - visit.begin >= limits_.visit) {
        if (awaySince_) return resultOf(lock, visit, *known);
        return {{}, "This page has taken too long already."};
    }
    const bool isProbe = awaySince_.has_value();
    if (isProbe && (isProbing_ || now - lastFailure_ < limits_.shared))
        return resultOf(lock, visit, *known);
    if (isProbe) isProbing_ = true;
    ask(lock, *known, read);
    if (isProbe) isProbing_ = false;
    return resultOf(lock, visit, *known);
}

void Answers::ask(Lock& lock, Known& known, const std::function<std::any()>& read) {
    known.isBeingAsked = true;
    const unsigned changes = changes_;
    lock.unlock();
    std::any value;
    Failure failure;
    const jtimer::Date begin = jtimer::WallClock().now();
    try {
        value = read();
    } catch (...) {
        failure = failureOf_();
    }
    lock.lock();
    known.isBeingAsked = false;
    known.asked = Clock::now();
    known.isFresh = changes == changes_;
    known.why = failure.why;
    if (value.has_value()) {
        known.value = std::move(value);
        known.read = begin;
    }
    if (failure.isAway) {
        if (!awaySince_) awaySince_ = begin;
        whyAway_ = failure.why;
        lastFailure_ = known.asked;
        known.isFresh = false;
    } else {
        awaySince_.reset();
    }
    asked_.notify_all();
}

void Answers::forget() {
    const Lock lock(mutex_);
    ++changes_;
    for (const auto& [question, known] : known_) known->isFresh = false;
}

void Answers::close() {
    const Lock lock(mutex_);
    isClosed_ = true;
    asked_.notify_all();
}

}  // namespace cluster_tool
