// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/jdk/timer_task.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace jtimer::detail {

/// The names of the process's tasks. Few tasks have names, and a task has no room for one, so names
/// live in a table by address. The destructor of a task with the flag kNamed erases the entry.
struct TaskNames {
    /// \throws IllegalStateException if the task is no longer virgin, std::bad_alloc; with nothing
    ///   changed
    static void set(TimerTask& task, std::string name);

    /// The name, or empty. The reference is valid until the next set() or forget().
    static const std::string& of(const TimerTask& task);

    /// A copy of the name for a report; empty if there is no memory for it.
    /// \param task may have been destroyed; then it has no name
    static std::string forReport(const TimerTask* task) noexcept;

    /// How a sentence refers to the task with this name, in pieces for printLine().
    struct InSentence {
        std::string_view before, name, after;
    };
    static InSentence inSentence(std::string_view name) noexcept {
        return name.empty() ? InSentence{"an unnamed task", {}, {}}
                            : InSentence{"task \"", name, "\""};
    }

    /// The same for a report, as a text.
    /// \param task as in forReport()
    static std::string inReport(const TimerTask* task) {
        const std::string name = forReport(task);
        const InSentence it = inSentence(name);
        return std::string(it.before).append(it.name).append(it.after);
    }

    static void forget(const TimerTask& task) noexcept;

    /// The number of names, for tests.
    static std::size_t count();
};

}  // namespace jtimer::detail
