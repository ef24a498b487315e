// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// What another schedule changes in a Player.

#include "player.hpp"
#include "rule.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using jtimer::Date;

void Player::replace(std::vector<Entry> entries, std::function<void(const Changes&)> whenChanged) {
    auto shared = std::make_shared<std::vector<Entry>>(std::move(entries));
    callAfter(std::chrono::milliseconds(0), [this, shared, whenChanged = std::move(whenChanged)] {
        lookAtWallClock();  // what is due runs by the old zones
        whenChanged(update(std::move(*shared)));
        lookAtWallClock();
        endIfAllHaveRun();
    });
}

Player::Changes Player::update(std::vector<Entry> entries) {
    EntriesByName before, after;
    for (const auto& [name, slot] : slots_) before[name] = slot.entry;
    std::vector<std::shared_ptr<const Entry>> inOrder;
    for (Entry& entry : entries) {
        inOrder.push_back(std::make_shared<const Entry>(std::move(entry)));
        after[inOrder.back()->name] = inOrder.back();
    }
    for (auto slot = slots_.begin(); slot != slots_.end();) {
        const auto each = slot++;
        const auto same = after.find(each->first);
        if (same == after.end() || ruleOf(*each->second.entry) != ruleOf(*same->second)) {
            remove(each);
            continue;
        }
        each->second.entry = same->second;
        dates_.update(same->second);
        dispatcher_.update(same->second);
    }
    dates_.computeAnew(clocks_.wall->now());
    const Date start = clocks_.steady->now();
    for (const auto& entry : inOrder) {
        if (slots_.count(entry->name) != 0) continue;
        if (entry->isReboot) {
            ledger_.add(entry->name);
            slots_[entry->name] = {entry, ++places_, nullptr, false, true};
        } else {
            schedule(entry, start);
        }
    }
    return changesBetween(before, after);
}

void Player::remove(Slots::iterator slot) {
    const std::string name = slot->first;
    if (slot->second.task) slot->second.task->cancel();
    slots_.erase(slot);
    dates_.remove(name);
    ledger_.isDue(name, std::nullopt);
    dispatcher_.drop(name);
}
