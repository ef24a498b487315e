// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "../http/form.hpp"
#include "page/pages.hpp"

#include <jtimer/cluster/history.hpp>
#include <jtimer/cluster/pause.hpp>
#include <jtimer/cluster/task_info.hpp>
#include <jtimer/time.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <string>

/// \file
/// From the fields of queries and forms to values: see page/pages.hpp. A field that is empty is as
/// if it were not there. They throw std::invalid_argument, which says what is wrong, and what was
/// expected, for a field that cannot be used.

namespace cluster_tool {

/// The parameters that tell what was done, and those that a page is not about: the pages do not
/// hand them on.
extern const std::set<std::string> kPassingParameters;

/// A field; empty: it is not there.
std::string fieldOf(const http::Form& form, const std::string& name);

/// A name or id of a task, which must be there.
std::string keyIn(const http::Form& form, const std::string& field);

/// A selection, without `after`, `order` and `limit`.
jtimer::cluster::Filter selectionOf(const http::Form& form, jtimer::Date now);

/// The tasks of a page of them: a selection, `after` and `order`, and one more than kRows.
jtimer::cluster::Filter filterOf(const http::Form& form, jtimer::Date now);

/// With kRows as its limit.
jtimer::cluster::HistoryFilter historyFilterOf(const http::Form& form);

/// A number from 0; 0 if it is not there.
std::int64_t numberIn(const http::Form& form, const std::string& field);

/// What somebody wants to be done.
struct Instruction {
    page::Action action = page::Action::Run;
    page::Subject subject;
    std::string note;       ///< of a pause
    jtimer::When when = 0;  ///< of a reschedule
    jtimer::cluster::MissedInPause missed = jtimer::cluster::MissedInPause::Run;  ///< of a resume
    bool isConfirmed = false;
};

/// The action, and what it is for: a target, or a selection if there is no `scope`. Of a revival,
/// only dead tasks are selected.
Instruction instructionOf(page::Action action, const http::Form& form, jtimer::Date now);

/// Whether people are shown first what it is for.
bool needsConfirmation(const Instruction& instruction);

/// What was done, as page::locationAfter() has told it; nothing if it is something else.
std::optional<page::Done> doneOf(const http::Form& form);

/// In seconds; nothing if it is none of page::kRefreshes.
std::optional<int> refreshOf(const http::Form& form);

jtimer::cluster::Scope scopeOf(const std::string& name);

/// What a subject is, for the log: `name "mail"`, `task "mail" "17"`, or the fields of a selection.
std::string textOf(const page::Subject& subject);

}  // namespace cluster_tool
