// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/cluster/options.hpp>
#include <jtimer/cluster/schedule.hpp>
#include <jtimer/cluster/task_info.hpp>
#include <jtimer/cluster/task_options.hpp>
#include <jtimer/time.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

/// The checks of arguments. Each check... throws IllegalArgumentException.
namespace jtimer::cluster::detail {

/// The character that begins at `at`, which then moves behind it. Nothing if none does: RFC 3629,
/// without NUL.
std::optional<std::uint32_t> takeCharacter(const std::string& text, std::size_t& at);

/// Whether it is 1 to `maxBytes` bytes of UTF-8 without NUL.
bool isText(const std::string& text, std::size_t maxBytes);

void check(const Options& options);
void check(const TaskOptions& options);

/// \param what "name" or "id": the beginning of the message
void checkKey(const char* what, const std::string& key);
void checkKey(const std::string& name, const std::string& id);
/// Of text that may be empty: at most 200 bytes. \param what the beginning of the message
void checkText(const char* what, const std::string& text);
void checkPayload(const std::string& payload);
void checkWhen(const When& when);
void checkSchemaName(const std::string& schema);
void check(const NewTask& task);
void check(const Filter& filter);
void checkSelects(const Filter& filter);  ///< that it does not select all tasks

}  // namespace jtimer::cluster::detail
