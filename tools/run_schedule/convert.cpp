// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "convert.hpp"

#include "line_options.hpp"
#include "rule.hpp"

#include <cstddef>
#include <sstream>

namespace {

/// As a word of a shell.
std::string inShellQuotes(const std::string& text) {
    std::string result = "'";
    for (const char c : text) {
        if (c == '\'') {
            result += "'\\''";
        } else {
            result += c;
        }
    }
    return result + '\'';
}

/// The command that gives another one its input.
std::string writerOf(const std::string& input) {
    if (input.empty()) return ":";
    std::string result = "printf '%s\\n'";
    std::istringstream lines(input);
    for (std::string line; std::getline(lines, line);) result += ' ' + inShellQuotes(line);
    return result;
}

std::string commandOf(const Entry& entry) {
    if (entry.input) {
        const std::string shell = entry.shell == "/bin/sh" ? "sh" : entry.shell;
        return writerOf(*entry.input) + " | " + shell + " -c " + inShellQuotes(entry.command);
    }
    // A schedule file takes these for a mistake.
    const bool isRefused = entry.command.front() == '#' || isOption(Words(entry.command).peek());
    return (isRefused ? "true; " : "") + entry.command;
}

std::string optionsOf(const Entry& entry) {
    std::string options = ' ' + entry.options;
    if (entry.options.empty()) options.clear();
    if (options.find(" overlap=") == options.npos) options = " overlap=skip" + options;
    if (entry.user && options.find(" user=") == options.npos) {
        options += " user=" + entry.user->name;
        if (options.find(" cwd=") == options.npos) options += " cwd=" + entry.folder;
    }
    return options;
}

std::string lineOf(const Entry& entry) {
    return ruleOf(entry) + optionsOf(entry) + ' ' + entry.name + ' ' + commandOf(entry);
}

}  // namespace

std::string convert(const Schedule& crontab) {
    std::string text;
    for (const Schedule::Line& line : crontab.lines) {
        const auto entry = static_cast<std::size_t>(line.entry);
        text += (line.entry < 0 ? line.text : lineOf(crontab.entries[entry])) + '\n';
    }
    return text;
}
