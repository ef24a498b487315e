// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <string>
#include <string_view>

/// `text` as a string of JSON. A replacement character (U+FFFD) stands for each byte that is not
/// UTF-8, and what isInvisible() is escaped.
std::string inJson(std::string_view text);

/// An object of JSON, on one line.
class JsonObject {
  public:
    /// Adds a member.
    /// \param json its value: a number, or another object
    JsonObject& add(std::string_view name, std::string_view json);

    /// Adds a member whose value is a string.
    JsonObject& addText(std::string_view name, std::string_view text);

    /// The object with all its members.
    std::string text() const { return '{' + members_ + '}'; }

  private:
    std::string members_;
};
