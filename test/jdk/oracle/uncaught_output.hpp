// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "stage.hpp"

#include <iostream>
#include <streambuf>

namespace oracle {

/// While it lives, what the library prints on std::cerr becomes lines of the transcript.
class UncaughtOutput final : private std::streambuf {
  public:
    explicit UncaughtOutput(Stage& stage) : stage_(stage), before_(std::cerr.rdbuf(this)) {}
    UncaughtOutput(const UncaughtOutput&) = delete;
    UncaughtOutput& operator=(const UncaughtOutput&) = delete;
    ~UncaughtOutput() override { std::cerr.rdbuf(before_); }

  private:
    /// The library writes a message in one piece.
    std::streamsize xsputn(const char* text, std::streamsize size) override {
        stage_.say(shown(std::string(text, static_cast<std::size_t>(size))));
        return size;
    }
    int overflow(int c) override { return c; }

    /// The name as the transcript shows it, and no namespace before the type.
    static std::string shown(std::string text) {
        if (!text.empty() && text.back() == '\n') text.pop_back();
        const PlayedTimer* const timer = currentTimer();
        if (timer == nullptr) return text;
        const std::string ours = "oracle::";
        const std::string head = "Exception in thread \"" + timer->timer->name() + "\" ";
        if (text.compare(0, head.size(), head) != 0) return text;
        std::string what = text.substr(head.size());
        if (what.compare(0, ours.size(), ours) == 0) what.erase(0, ours.size());
        return "Exception in thread " + timer->shownName + ' ' + what;
    }

    Stage& stage_;
    std::streambuf* const before_;
};

}  // namespace oracle
