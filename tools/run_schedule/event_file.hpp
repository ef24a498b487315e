// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "output.hpp"
#include "process.hpp"

#include <cstdint>
#include <string>
#include <string_view>

#include <sys/types.h>

/// Writes an array of JSON to a file, one element a line. An element that cannot be written is
/// lost, but the next one is still tried: a full disk may have room again.
///
/// A regular file is a whole array after each call, also if the disk is full: its last bytes are
/// the end of the array, which the next element replaces. Anything else, such as a pipe, gets the
/// end from finish(); if an element was cut there, its rest comes before anything else.
///
/// Not for use by several threads at a time.
class EventFile {
  public:
    /// \param say receives the reports of losses
    /// \throws std::runtime_error if the file cannot be created
    EventFile(const std::string& name, Say say);

    /// \returns whether the element will be in the file
    bool add(std::string_view element);

    /// No element follows.
    void finish();

    /// How many elements have been lost, and 1 for an end that could not be written.
    std::int64_t lost() const { return losses_.all(); }

  private:
    int replaceEnd(std::string_view text);
    int append(std::string_view text);
    void account(int error);

    FileDescriptor file_;
    bool isRegular_;
    bool isEmpty_ = true;
    off_t end_ = 0;     ///< of the last element, in a regular file
    std::string rest_;  ///< of what was cut, elsewhere
    Losses losses_;
};
