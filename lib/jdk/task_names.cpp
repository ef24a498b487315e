// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "jdk/task_names.hpp"

#include "sync/never_destroyed.hpp"
#include "sync/process_mutex.hpp"

#include <jtimer/exceptions.hpp>
#include <jtimer/jdk/detail/task_access.hpp>

#include <new>
#include <unordered_map>
#include <utility>

namespace jtimer::detail {

namespace {

using Names = std::unordered_map<const TimerTask*, std::string>;

struct Table {
    ProcessMutex mutex;
    Names names JTIMER_GUARDED_BY(mutex);
};

/// Never destroyed, because a static task may be destroyed after other static objects.
Table& theTable() noexcept {
    static NeverDestroyed<Table> table;
    return table.get();
}

}  // namespace

void TaskNames::set(TimerTask& task, std::string name) {
    Table& table = theTable();
    const Guard lock(table.mutex);
    const auto [entry, isNew] = table.names.try_emplace(&task);
    if (!stateOf(task).markNamed()) {
        if (isNew) table.names.erase(entry);
        throw IllegalStateException("Task already scheduled or cancelled");
    }
    entry->second.swap(name);
}

const std::string& TaskNames::of(const TimerTask& task) {
    static const auto& unnamed = *new std::string;
    Table& table = theTable();
    const Guard lock(table.mutex);
    const auto entry = table.names.find(&task);
    return entry == table.names.end() ? unnamed : entry->second;
}

std::string TaskNames::forReport(const TimerTask* task) noexcept {
    try {
        Table& table = theTable();
        const Guard lock(table.mutex);
        const auto entry = table.names.find(task);
        return entry == table.names.end() ? std::string() : entry->second;
    } catch (const std::bad_alloc&) {
        return {};
    }
}

void TaskNames::forget(const TimerTask& task) noexcept {
    Table& table = theTable();
    const Guard lock(table.mutex);
    table.names.erase(&task);
}

std::size_t TaskNames::count() {
    const Guard lock(theTable().mutex);
    return theTable().names.size();
}

}  // namespace jtimer::detail
