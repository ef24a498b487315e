// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "support/time_zone.hpp"

#include <jtimer/zone.hpp>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

namespace test {

inline std::string bigEndian(std::int64_t number, int bytes) {
    std::string text;
    for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>(number >> (8 * i));
    return text;
}

/// A zone file: the offset at first, changes to others, and the rule after these.
inline std::string zoneFile(std::int64_t first,
                            const std::vector<std::pair<std::int64_t, std::int64_t>>& changes,
                            const std::string& rule, char version = '2') {
    const auto block = [&](int timeSize) {
        std::string text = "TZif" + std::string(1, version) + std::string(15, '\0');
        const auto count = static_cast<std::int64_t>(changes.size());
        for (const std::int64_t each : {std::int64_t{0}, std::int64_t{0}, std::int64_t{0}, count,
                                        count + 1, std::int64_t{4}}) {
            text += bigEndian(each, 4);
        }
        for (const auto& change : changes) text += bigEndian(change.first, timeSize);
        for (std::int64_t i = 1; i <= count; ++i) text += static_cast<char>(i);
        text += bigEndian(first, 4) + std::string(2, '\0');
        for (const auto& change : changes)
            text += bigEndian(change.second, 4) + std::string(2, '\0');
        return text + "XXX" + '\0';
    };
    return version == '\0' ? block(4) : block(4) + block(8) + '\n' + rule + '\n';
}

/// A folder of zone files, in the place of the system's.
class ZoneFolder {
  public:
    ZoneFolder() {
        static int made = 0;
        const std::string name = "zones-" + std::to_string(getpid()) + '-' + std::to_string(++made);
        folder_ = std::filesystem::temp_directory_path() / name;
        if (!create_directory(folder_)) throw std::runtime_error("it is there already: " + name);
        setEnvironment("TZDIR", folder_.string().c_str());
    }
    ZoneFolder(const ZoneFolder&) = delete;
    ZoneFolder& operator=(const ZoneFolder&) = delete;
    ~ZoneFolder() {
        setEnvironment("TZDIR", nullptr);
        std::filesystem::remove_all(folder_);
    }

    void add(const std::string& name, const std::string& contents) const {
        create_directories((folder_ / name).parent_path());
        std::ofstream(folder_ / name, std::ios::binary) << contents;
    }

  private:
    std::filesystem::path folder_;
};

/// Berlin without a database.
inline jtimer::Zone berlin() {
    const ZoneFolder folder;
    folder.add("Europe/Berlin", zoneFile(3600, {}, kBerlin));
    return jtimer::Zone("Europe/Berlin");
}

}  // namespace test
