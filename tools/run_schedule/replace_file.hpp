// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <string>
#include <string_view>

/// Replaces a file as a whole, or creates it: nobody sees a part of the text.
/// \param isDurable returns when the text is on the disk
/// \returns the errno of the failure, after which the file is as before; 0 if there was none
int replaceFile(const std::string& fileName, std::string_view text, bool isDurable);

/// \returns why that cannot succeed, or would replace what is no regular file; empty: it may succeed
std::string whyNotReplaced(const std::string& fileName);

/// In which the file is: `.` if its name has no other.
std::string folderOf(const std::string& fileName);
