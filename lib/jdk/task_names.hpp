// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/timer_task.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace jtimer::detail {

/// The names of the process's tasks. They lie beside the tasks, in tables by address, because a
/// task has no room and few have a name. The flag kNamed in a task's word has its destructor come
/// by.
struct TaskNames {
    /// \throws IllegalStateException if the task is not virgin any more, std::bad_alloc; with
    ///   nothing changed
    static void set(TimerTask& task, std::string name);

    /// Empty, if the task has none. The reference holds until the next set(), or forget().
    static const std::string& of(const TimerTask& task);

    /// A copy of it for a report; without memory for that, as if the task had none.
    /// \param task may be a task that is no more, which has none
    static std::string forReport(const TimerTask* task) noexcept;

    /// What a sentence calls the task of this name, in pieces for printLine().
    struct InSentence {
        std::string_view before, name, after;
    };
    static InSentence inSentence(std::string_view name) noexcept {
        return name.empty() ? InSentence{"an unnamed task", {}, {}}
                            : InSentence{"task \"", name, "\""};
    }

    static void forget(const TimerTask& task) noexcept;

    /// How many there are, for tests.
    static std::size_t count();
};

}  // namespace jtimer::detail
