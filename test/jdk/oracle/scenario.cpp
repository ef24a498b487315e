// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "scenario.hpp"

#include "repeat.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <istream>
#include <ostream>
#include <stdexcept>

namespace oracle {

namespace {

/// What may follow each verb: NAME, NUMBER, TEXT (a string), STRING (or null), TYPE (of an
/// exception), WHEN, and words that stand for themselves.
const std::map<std::string, std::vector<std::string>>& verbs() {
    static const std::map<std::string, std::vector<std::string>> verbs{
        {"timer",
         {"NAME", "NAME daemon", "NAME user", "NAME named STRING", "NAME named STRING daemon",
          "NAME named STRING user"}},
        {"schedule", {"NAME NAME WHEN", "NAME NAME WHEN period NUMBER"}},
        {"scheduleAtFixedRate", {"NAME NAME WHEN period NUMBER"}},
        {"cancel", {"NAME"}},
        {"purge", {"NAME"}},
        {"scheduledExecutionTime", {"NAME"}},
        {"setPeriod", {"NAME NUMBER"}},
        {"run", {"NAME"}},
        {"throw", {"TYPE TEXT"}},
        {"hold", {""}},
        {"held", {"NAME"}},
        {"release", {"NAME"}},
        {"join", {"NAME"}},
        {"ran", {"NAME DIGITS"}},
        {"sleep", {"DIGITS"}},
    };
    return verbs;
}

bool isDigits(const std::string& word) {
    return !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
}

bool isInteger(const std::string& word) {
    return isDigits(word.substr(!word.empty() && word[0] == '-' ? 1 : 0));
}

bool isNumber(const std::string& word) { return word == "min" || word == "max" || isInteger(word); }

/// \param kind "delay" or "date"
bool isTime(const std::string& kind, const std::string& word) {
    if (kind == "delay") return word == "farthest" || word == "toofar" || isNumber(word);
    return kind == "date" && (word[0] == '@' ? isNumber(word.substr(1)) : isInteger(word));
}

bool isWord(const std::string& word, const std::string& form) {
    static const std::vector<std::string> types{"RuntimeException", "Exception", "Error",
                                                "OutOfMemoryError", "InterruptedException"};
    const bool isText = word[0] == '"';
    if (form == "NAME") return std::isalpha(static_cast<unsigned char>(word[0])) != 0;
    if (form == "NUMBER") return isNumber(word);
    if (form == "DIGITS") return isDigits(word);
    if (form == "TEXT") return isText;
    if (form == "STRING") return isText || word == "null";
    if (form == "TYPE") return std::find(types.begin(), types.end(), word) != types.end();
    return word == form;
}

bool fits(const std::vector<std::string>& words, const std::string& form) {
    std::size_t i = 0;
    for (const std::string& expected : wordsOf(form)) {
        const std::size_t needed = expected == "WHEN" ? 2 : 1;
        if (i + needed > words.size()) return false;
        const bool ok = needed == 2 ? isTime(words[i], words[i + 1]) : isWord(words[i], expected);
        if (!ok) return false;
        i += needed;
    }
    return i == words.size();
}

std::string joined(std::vector<std::string>::const_iterator begin,
                   std::vector<std::string>::const_iterator end) {
    std::string text;
    for (auto word = begin; word != end; ++word) text += (word == begin ? "" : " ") + *word;
    return text;
}

Op parseOp(std::vector<std::string> words) {
    Op op;
    op.text = joined(words.begin(), words.end());
    if (!words.empty() && words.front() == "thread") {
        op.onThread = true;
        words.erase(words.begin());
    }
    if (words.empty()) throw std::runtime_error("an operation is missing");
    op.verb = words.front();
    op.args.assign(words.begin() + 1, words.end());
    const auto verb = verbs().find(op.verb);
    if (verb == verbs().end()) throw std::runtime_error("no such operation");
    if (std::none_of(verb->second.begin(), verb->second.end(),
                     [&](const std::string& form) { return fits(op.args, form); })) {
        throw std::runtime_error("not what can follow " + op.verb);
    }
    return op;
}

void parseLine(const std::vector<std::string>& words, Program& program) {
    const std::string& first = words.front();
    if (first == "task") {
        const bool deaf = words.size() == 3 && words[2] == "deaf";
        if (words.size() != 2 && !deaf) throw std::runtime_error("expected: task NAME [deaf]");
        if (!program.tasks.emplace(words[1], TaskScript{deaf, {}}).second) {
            throw std::runtime_error("a second task of that name");
        }
    } else if (first == "on") {
        if (words.size() < 4) throw std::runtime_error("expected: on TASK RUN OPERATION");
        const auto task = program.tasks.find(words[1]);
        if (task == program.tasks.end()) throw std::runtime_error("no such task");
        const int run = words[2] == "*" ? 0 : std::stoi(words[2]);
        task->second.steps.push_back({run, parseOp({words.begin() + 3, words.end()})});
    } else {
        program.ops.push_back(parseOp(words));
        const std::string& verb = program.ops.back().verb;
        if (verb == "throw" || verb == "hold") throw std::runtime_error("only inside a run");
    }
}

/// Without indentation, comments and empty lines; a line that ends in a backslash goes on in the
/// next.
std::vector<std::string> linesOf(std::istream& in) {
    std::vector<std::string> lines;
    bool goesOn = false;
    for (std::string line; std::getline(in, line);) {
        const std::size_t begin = line.find_first_not_of(' ');
        if (begin == std::string::npos || line[begin] == '#') continue;
        if (!goesOn) lines.emplace_back();
        goesOn = line.back() == '\\';
        if (goesOn) line.pop_back();
        lines.back() += line.substr(begin);
    }
    return lines;
}

}  // namespace

std::vector<std::string> wordsOf(const std::string& line) {
    std::vector<std::string> words;
    std::size_t i = 0;
    while ((i = line.find_first_not_of(' ', i)) != std::string::npos) {
        std::size_t end = i;
        if (line[i] == '"') {
            end = line.find('"', i + 1);
            if (end == std::string::npos) throw std::runtime_error("a string has no end");
            ++end;
        } else {
            end = std::min(line.find(' ', i), line.size());
        }
        words.push_back(line.substr(i, end - i));
        i = end;
    }
    return words;
}

Program parse(const Scenario& scenario) {
    Program program;
    for (const std::string& line : scenario.lines) {
        try {
            parseLine(wordsOf(line), program);
        } catch (const std::exception& e) {
            throw std::runtime_error("scenario " + scenario.name + ": " + line + ": " + e.what());
        }
    }
    return program;
}

std::vector<Scenario> readScenarios(std::istream& in) {
    const std::string head = "scenario ";
    std::vector<Scenario> scenarios;
    for (const std::string& line : repeated(linesOf(in))) {
        if (line.compare(0, head.size(), head) == 0) {
            scenarios.push_back({line.substr(head.size()), {}});
        } else if (scenarios.empty()) {
            throw std::runtime_error("expected `scenario NAME` before: " + line);
        } else {
            scenarios.back().lines.push_back(line);
        }
    }
    return scenarios;
}

std::vector<Scenario> readScenarios(const std::string& path) {
    std::ifstream in(path);
    if (!in) throw std::runtime_error("cannot read " + path);
    return readScenarios(in);
}

void write(std::ostream& out, const Scenario& scenario) {
    out << "scenario " << scenario.name << '\n';
    for (const std::string& line : scenario.lines) out << line << '\n';
}

}  // namespace oracle
