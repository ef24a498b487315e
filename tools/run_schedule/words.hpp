// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

/// What separates the words of a line.
inline constexpr std::string_view kBlanks = " \t";

/// Reads a line word by word, from the left.
class Words {
  public:
    explicit Words(std::string_view line) : rest_(line) { skipBlanks(); }

    /// The next word, which is not removed; empty at the end.
    std::string_view peek() const { return rest_.substr(0, rest_.find_first_of(kBlanks)); }

    std::string_view take() {
        const std::string_view word = peek();
        rest_.remove_prefix(word.size());
        skipBlanks();
        return word;
    }

    /// Takes what is in quotes, which end before a blank. \returns nothing if there is none
    std::optional<std::string_view> takeQuoted() {
        const std::size_t end = rest_.empty() ? rest_.npos : rest_.find('"', 1);
        if (end == rest_.npos || rest_.front() != '"') return std::nullopt;
        if (end + 1 < rest_.size() && kBlanks.find(rest_[end + 1]) == kBlanks.npos) return {};
        const std::string_view quoted = rest_.substr(1, end - 1);
        rest_.remove_prefix(end + 1);
        skipBlanks();
        return quoted;
    }

    std::string_view rest() const { return rest_; }

  private:
    void skipBlanks() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanks), rest_.size()));
    }

    std::string_view rest_;
};
