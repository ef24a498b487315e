// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "console.hpp"

#include <iostream>
#include <stdexcept>

#include <sys/ioctl.h>
#include <unistd.h>

namespace cluster_tool {

namespace {

Width widthOfTerminal(int fd) {
    winsize size{};
    if (::isatty(fd) != 1 || ::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return {};
    return size.ws_col;
}

}  // namespace

void Console::print(const std::string& text) { std::cout << text; }

void Console::flush() {
    if (!std::cout.flush()) throw std::runtime_error("cannot write to the standard output");
}

void Console::tell(const std::string& text) {
    std::cerr << "jtimer-cluster: " + linesForTerminal(text) + '\n';
}

Width Console::width() { return widthOfTerminal(STDOUT_FILENO); }

Width Console::widthOfQuestions() { return widthOfTerminal(STDERR_FILENO); }

bool Console::canAsk() { return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1; }

bool Console::ask(const std::string& question) {
    std::cerr << question << " [y/N] " << std::flush;
    std::string answer;
    std::getline(std::cin, answer);
    return answer == "y" || answer == "Y" || answer == "yes";
}

}  // namespace cluster_tool
