// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "pages.hpp"

#include <cstdint>
#include <string>

/// \file
/// Forms, and what has become of them. Without Context::actions, they are empty.

namespace page {

/// As it stands on a button.
const char* verbOf(Action action);

/// What an action is for, unless that is a selection, in the midst of a sentence.
std::string subjectHtml(const Subject& subject);

/// With a capital letter.
std::string sentence(std::string html);

/// What has become of an action, as a sentence.
std::string doneHtml(const Done& done);

/// A form that posts an action.
/// \param html its other fields
/// \param verb the words of its button, in HTML
std::string form(Action action, const Subject& subject, const Context& context,
                 const std::string& html, const std::string& verb);

/// A link to the page that asks whether an action is to be done.
std::string actionLink(Action action, const Subject& subject, const Context& context,
                       const std::string& html);

std::string confirmedField(std::uint64_t count);

/// \param id of the element
std::string noteField(const std::string& id);
std::string missedField(const std::string& id);

Subject everything();
Subject ofName(const std::string& name);
Subject ofNode(const std::string& node);
Subject ofTask(const std::string& name, const std::string& id);
Subject ofSelection(const jtimer::cluster::Filter& filter);

}  // namespace page
