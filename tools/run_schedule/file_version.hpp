// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

/// What changes if the file that a name leads to is written or replaced: its device, inode, size
/// and times. All are -1 if there is none. A change of a link counts, as of a Kubernetes ConfigMap.
using FileVersion = std::array<std::int64_t, 7>;

std::vector<FileVersion> versionsOf(const std::vector<std::string>& fileNames);
