// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <memory>
#include <type_traits>

namespace jtimer::detail {

// Advice for any timer's tasks: see advice.hpp.
struct write_std_make_shared_or_shared_from_this_not_a_raw_pointer {};
struct write_std_make_shared_of_the_class_not_an_object {};
struct write_a_lambda_that_calls_the_member_function {};
struct write_when_the_task_is_due {};

/// Whether T is a class derived from Task, publicly or not; false if T is incomplete.
template <class Task, class T, class = void>
inline constexpr bool isTaskClass = false;
template <class Task, class T>
inline constexpr bool isTaskClass<Task, T, std::enable_if_t<std::is_class_v<T> && sizeof(T) != 0>> =
    std::is_base_of_v<Task, T>;

/// Whether F can be called with its handle, or without arguments. A disjunction, because a generic
/// callable may fail to compile for the second if it is meant for the first.
template <class F, class Handle>
inline constexpr bool isCallableOfTask =
    std::disjunction_v<std::is_invocable<std::decay_t<F>&, Handle>,
                       std::is_invocable<std::decay_t<F>&>>;

template <class T, class = void>
inline constexpr bool isSmartPointer = false;
template <class T>
inline constexpr bool isSmartPointer<T, std::void_t<typename T::element_type>> = true;

/// Whether T is a class derived from Task, or a pointer to one of any kind.
template <class Task, class T, class = void>
inline constexpr bool isTaskOrPointer = isTaskClass<Task, std::remove_pointer_t<T>>;
template <class Task, class T>
inline constexpr bool isTaskOrPointer<Task, T, std::enable_if_t<isSmartPointer<T>>> =
    isTaskClass<Task, typename T::element_type>;

enum class TaskMistake { None, RawPointer, Object, PrivateBase, Other, MemberFunction, Parameters };

/// Why a timer does not accept a T as a Task; None if there is no advice.
template <class Task, class T>
constexpr TaskMistake mistakeForTask() {
    if constexpr (isTaskClass<Task, T>) {
        return TaskMistake::Object;
    } else if constexpr (isTaskClass<Task, std::remove_pointer_t<T>>) {
        return TaskMistake::RawPointer;
    } else if constexpr (isSmartPointer<T>) {
        using Element = typename T::element_type;
        return isTaskClass<Task, Element> && !std::is_convertible_v<Element*, const volatile Task*>
                   ? TaskMistake::PrivateBase
                   : TaskMistake::None;
    } else if constexpr (std::is_member_pointer_v<T>) {
        return TaskMistake::MemberFunction;
    } else if constexpr (std::is_class_v<T> || std::is_function_v<std::remove_pointer_t<T>>) {
        return TaskMistake::Parameters;
    } else {
        return TaskMistake::None;
    }
}

/// Why an Argument, which stands for a Task, cannot be made from a T; None if it can, or if there
/// is no advice.
/// \tparam OtherTask the class of another timer's tasks, which get the advice Other; void: none
template <class Task, class Argument, bool isCallable, class T, class OtherTask = void>
constexpr TaskMistake taskMistake() {
    if constexpr (isCallable || std::is_same_v<T, Argument> ||
                  std::is_convertible_v<T, std::shared_ptr<Task>>) {
        return TaskMistake::None;
    } else if constexpr (isTaskOrPointer<OtherTask, T> && !isTaskOrPointer<Task, T>) {
        return TaskMistake::Other;
    } else {
        return mistakeForTask<Task, T>();
    }
}

}  // namespace jtimer::detail
