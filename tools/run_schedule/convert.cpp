// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "convert.hpp"

#include "line_options.hpp"
#include "rule.hpp"

#include <cstddef>
#include <filesystem>
#include <sstream>
#include <string>
#include <system_error>

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

/// Whether the line's folder is its user's home, of which it says nothing.
bool runsAtHome(const Entry& entry) {
    return entry.user && !hasOption(entry, "user") && !hasOption(entry, "cwd");
}

/// Whether cwd= takes the folder: it is there, and ends at no blank.
bool isFolderOption(const std::string& folder) {
    std::error_code none;
    return folder.find_first_of(kBlanks) == folder.npos &&
           std::filesystem::is_directory(folder, none);
}

std::string commandOf(const Entry& entry) {
    std::string command;
    if (runsAtHome(entry) && !isFolderOption(entry.folder))
        command = "cd " + inShellQuotes(entry.folder) + " || exit 1; ";
    if (entry.input) {
        const std::string shell = entry.shell == "/bin/sh" ? "sh" : entry.shell;
        return command + writerOf(*entry.input) + " | " + shell + " -c " +
               inShellQuotes(entry.command);
    }
    // A schedule file takes these for a mistake.
    const bool isRefused = entry.command.front() == '#' || isOption(Words(entry.command).peek());
    if (isRefused && command.empty()) command = "true; ";
    return command + entry.command;
}

std::string optionsOf(const Entry& entry) {
    std::string options = hasOption(entry, "overlap") ? "" : " overlap=skip";
    if (!entry.options.empty()) options += ' ' + entry.options;
    if (entry.user && !hasOption(entry, "user")) options += " user=" + entry.user->name;
    if (runsAtHome(entry) && isFolderOption(entry.folder)) options += " cwd=" + entry.folder;
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
