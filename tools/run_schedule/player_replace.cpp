// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// What another schedule changes in a Player.

#include "player.hpp"
#include "rule.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using jtimer::Date;

void Player::replace(std::vector<Entry> entries, std::function<void(const Changes&)> whenChanged) {
    auto shared = std::make_shared<std::vector<Entry>>(std::move(entries));
    callAfter(std::chrono::milliseconds(0), [this, shared, whenChanged = std::move(whenChanged)] {
        Changes changes;
        lookAtWallClock();  // what is due runs by the old zones
        update(std::move(*shared), changes);
        whenChanged(changes);
        lookAtWallClock();
        endIfAllHaveRun();
    });
}

void Player::update(std::vector<Entry> entries, Changes& changes) {
    std::map<std::string, std::shared_ptr<const Entry>> byName;
    std::vector<std::shared_ptr<const Entry>> inOrder;
    for (Entry& entry : entries) {
        inOrder.push_back(std::make_shared<const Entry>(std::move(entry)));
        byName[inOrder.back()->name] = inOrder.back();
    }
    int restarted = 0;
    for (auto slot = slots_.begin(); slot != slots_.end();) {
        const auto each = slot++;
        const Entry& before = *each->second.entry;
        const auto after = byName.find(each->first);
        if (after == byName.end()) {
            ++changes.removed;
            remove(each);
            continue;
        }
        const bool goesOn = ruleOf(before) == ruleOf(*after->second);
        if (isChanged(before, *after->second)) ++changes.changed;
        if (!goesOn) {
            ++restarted;
            remove(each);
            continue;
        }
        each->second.entry = after->second;
        dates_.update(after->second);
        dispatcher_.update(after->second);
    }
    dates_.computeAnew(clocks_.wall->now());
    const Date start = clocks_.steady->now();
    for (const auto& entry : inOrder) {
        if (slots_.count(entry->name) != 0) continue;
        ++changes.added;
        if (entry->isReboot) {
            ledger_.add(entry->name);
            slots_[entry->name] = {entry, ++places_, nullptr, false, true};
        } else {
            schedule(entry, start);
        }
    }
    changes.added -= restarted;
}

void Player::remove(Slots::iterator slot) {
    const std::string name = slot->first;
    if (slot->second.task) slot->second.task->cancel();
    slots_.erase(slot);
    dates_.remove(name);
    ledger_.isDue(name, std::nullopt);
    dispatcher_.drop(name);
}
