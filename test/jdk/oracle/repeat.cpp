// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "repeat.hpp"

#include "scenario.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace oracle {

namespace {

using Lines = std::vector<std::string>;
using Values = std::map<std::string, std::string>;

std::int64_t numberOf(const std::string& word) {
    std::size_t read = 0;
    std::int64_t number = 0;
    try {
        number = std::stoll(word, &read);
    } catch (const std::logic_error&) {
    }
    if (read != word.size()) throw std::runtime_error("not a number: " + word);
    return number;
}

/// An expression in braces: numbers and names, joined by + - * / with the usual precedence.
class Expression {
  public:
    Expression(const std::string& text, const Values& values) : text_(text), values_(values) {}

    std::int64_t value() {
        std::int64_t sum = product();
        while (i_ < text_.size()) {
            const char sign = text_[i_++];
            if (sign != '+' && sign != '-') throw std::runtime_error("not an expression: " + text_);
            const std::int64_t term = product();
            sum += sign == '+' ? term : -term;
        }
        return sum;
    }

  private:
    std::int64_t product() {
        std::int64_t result = factor();
        while (i_ < text_.size() && (text_[i_] == '*' || text_[i_] == '/')) {
            const char sign = text_[i_++];
            const std::int64_t next = factor();
            if (sign == '/' && next == 0) throw std::runtime_error("division by 0: " + text_);
            result = sign == '*' ? result * next : result / next;
        }
        return result;
    }

    std::int64_t factor() {
        const std::size_t begin = i_;
        while (i_ < text_.size() && std::isalnum(static_cast<unsigned char>(text_[i_])) != 0) ++i_;
        const std::string word = text_.substr(begin, i_ - begin);
        const auto named = values_.find(word);
        if (named != values_.end()) return numberOf(named->second);
        if (word.empty() || word.find_first_not_of("0123456789") != std::string::npos) {
            throw std::runtime_error("neither a number nor a name that is repeated: " + text_);
        }
        return numberOf(word);
    }

    const std::string& text_;
    const Values& values_;
    std::size_t i_ = 0;
};

/// The line with the values of its names and expressions.
std::string replaced(const std::string& line, const Values& values) {
    std::string result;
    std::size_t i = 0;
    for (std::size_t open; (open = line.find('{', i)) != std::string::npos;) {
        const std::size_t close = line.find('}', open);
        if (close == std::string::npos) throw std::runtime_error("a { has no }");
        const std::string text = line.substr(open + 1, close - open - 1);
        const auto named = values.find(text);
        result += line.substr(i, open - i);
        result += named != values.end() ? named->second
                                        : std::to_string(Expression(text, values).value());
        i = close + 1;
    }
    return result + line.substr(i);
}

/// `repeat NAME FROM to TO`, or `repeat NAME... in VALUE...`
struct Head {
    Lines names;
    Lines values;  ///< those of all names in one round, then those of the next

    explicit Head(const std::string& line) {
        const Lines words = wordsOf(line);
        const auto in = std::find(words.begin(), words.end(), "in");
        if (in != words.end()) {
            names.assign(words.begin() + 1, in);
            values.assign(in + 1, words.end());
        } else if (words.size() == 5 && words[3] == "to") {
            names = {words[1]};
            for (std::int64_t i = numberOf(words[2]); i <= numberOf(words[4]); ++i)
                values.push_back(std::to_string(i));
        }
        if (names.empty() || values.size() % names.size() != 0) {
            throw std::runtime_error("expected: repeat NAME 1 to 9, or repeat NAME... in 1 2 3");
        }
    }
};

bool begins(const std::string& line, const std::string& word) {
    return line.compare(0, line.find(' '), word) == 0;
}

/// The `end` of the `repeat` in the line before `line`.
Lines::const_iterator endOf(Lines::const_iterator line, Lines::const_iterator end) {
    for (int depth = 1; line != end; ++line) {
        if (begins(*line, "repeat")) ++depth;
        if (begins(*line, "end") && --depth == 0) return line;
    }
    throw std::runtime_error("there is no end");
}

/// What f() returns; what it throws names the line.
template <typename F>
auto inLine(const std::string& line, F f) {
    try {
        return f();
    } catch (const std::exception& e) {
        throw std::runtime_error(line + ": " + e.what());
    }
}

void write(Lines::const_iterator line, Lines::const_iterator end, const Values& values,
           Lines& result) {
    for (; line != end; ++line) {
        const std::string text = inLine(*line, [&] { return replaced(*line, values); });
        if (begins(text, "end")) throw std::runtime_error("an end has no repeat");
        if (begins(text, "tasks")) {
            const Lines words = wordsOf(text);
            for (std::size_t i = 1; i < words.size(); ++i) result.push_back("task " + words[i]);
            continue;
        }
        if (!begins(text, "repeat")) {
            result.push_back(text);
            continue;
        }
        const Head head = inLine(text, [&] { return Head(text); });
        const Lines::const_iterator body = line + 1;
        line = inLine(text, [&] { return endOf(body, end); });
        for (std::size_t i = 0; i < head.values.size(); i += head.names.size()) {
            Values inner = values;
            for (std::size_t j = 0; j < head.names.size(); ++j) {
                inner[head.names[j]] = head.values[i + j];
            }
            write(body, line, inner, result);
        }
    }
}

}  // namespace

std::vector<std::string> repeated(const std::vector<std::string>& lines) {
    Lines result;
    write(lines.begin(), lines.end(), {}, result);
    return result;
}

}  // namespace oracle
