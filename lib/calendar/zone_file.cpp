// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "calendar/zone_file.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <fstream>

namespace jtimer::detail {

namespace {

constexpr std::streamsize kLargestFile = 1 << 20;

/// \returns the contents; empty if it cannot be read
std::string readFile(const std::string& fileName) {
    std::ifstream file(fileName, std::ios::binary);
    std::string contents(kLargestFile, '\0');
    file.read(contents.data(), kLargestFile);
    contents.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
    return contents;
}

/// A name leads to no other folder.
bool isName(const std::string& name) {
    const auto isGood = [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-' || c == '+' || c == '/';
    };
    return !name.empty() && name.front() != '/' && std::all_of(name.begin(), name.end(), isGood);
}

}  // namespace

std::string zoneFolder() {
    const char* set = std::getenv("TZDIR");
    return set != nullptr && *set != '\0' ? set : "/usr/share/zoneinfo";
}

/// Reads a zone file, as RFC 8536 describes it: a header and a block of data with times of 32 bits,
/// and, from version 2 on, the same again with 64 bits and a line with the rules for later times.
class ZoneFile::Reader {
  public:
    explicit Reader(std::string_view file) : rest_(file) {}

    /// \returns nothing if the file is another one, or counts leap seconds
    std::optional<ZoneFile> read() {
        Header header = readHeader();
        if (header.version != '\0') {
            take(header.size(4));
            header = readHeader();
            return readData(header, 8);
        }
        return readData(header, 4);
    }

  private:
    struct Header {
        char version = '\0';
        /// How many there are of: UTC and standard time flags, leap seconds, changes, types,
        /// characters.
        std::array<std::size_t, 6> counts{};

        std::size_t size(std::size_t timeSize) const {
            const auto [utcs, standards, leaps, changes, types, characters] = counts;
            return changes * (timeSize + 1) + types * 6 + characters + leaps * (timeSize + 4) +
                   standards + utcs;
        }
    };

    /// \returns zeroes beyond the end
    std::string_view take(std::size_t size) {
        if (size > rest_.size()) {
            good_ = false;
            return std::string_view(kNothing.data(), std::min(size, kNothing.size()));
        }
        const std::string_view taken = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return taken;
    }

    /// A big-endian number.
    std::int64_t takeNumber(std::size_t size) {
        const std::string_view bytes = take(size);
        std::uint64_t number = static_cast<signed char>(bytes[0]) < 0 ? ~std::uint64_t{0} : 0;
        for (const char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
        return static_cast<std::int64_t>(number);
    }

    Header readHeader() {
        good_ = good_ && take(4) == "TZif";
        Header header;
        header.version = take(1)[0];
        take(15);
        for (std::size_t& count : header.counts) {
            count = static_cast<std::uint32_t>(takeNumber(4));
            if (count > kLargestFile) good_ = false;
        }
        if (!good_) return {};
        return header;
    }

    std::optional<ZoneFile> readData(const Header& header, std::size_t timeSize) {
        const auto [utcs, standards, leaps, changes, types, characters] = header.counts;
        if (!good_ || leaps != 0 || types == 0 || header.size(timeSize) > rest_.size()) return {};
        ZoneFile zone;
        for (std::size_t i = 0; i < changes; ++i) zone.changes_.push_back(takeNumber(timeSize));
        for (const char type : take(changes)) {
            zone.types_.push_back(static_cast<unsigned char>(type));
            if (zone.types_.back() >= types) return {};
        }
        for (std::size_t i = 0; i < types; ++i) {
            zone.offsets_.push_back(takeNumber(4));
            if (std::abs(zone.offsets_.back()) > kGreatestOffset) return {};
            take(2);
        }
        take(characters + standards + utcs);
        if (!std::is_sorted(zone.changes_.begin(), zone.changes_.end())) return {};
        const std::size_t end = rest_.find('\n', 1);
        if (timeSize == 8 && rest_.size() > 1 && end != rest_.npos) {
            zone.afterChanges_ = PosixZone::parse(rest_.substr(1, end - 1));
        }
        return zone;
    }

    static constexpr std::array<char, 16> kNothing{};

    std::string_view rest_;
    bool good_ = true;
};

std::optional<ZoneFile> ZoneFile::read(const std::string& fileName) {
    return parse(readFile(fileName));
}

std::optional<ZoneFile> ZoneFile::parse(std::string_view contents) {
    return Reader(contents).read();
}

std::optional<ZoneFile> ZoneFile::named(const std::string& name) {
    if (name == "UTC") {
        ZoneFile utc;
        utc.offsets_ = {0};
        return utc;
    }
    if (!isName(name)) return std::nullopt;
    return read(zoneFolder() + '/' + name);
}

std::int64_t ZoneFile::offsetAt(std::int64_t instant) const {
    const auto next = std::upper_bound(changes_.begin(), changes_.end(), instant);
    if (next == changes_.end() && afterChanges_) return afterChanges_->offsetAt(instant);
    if (next == changes_.begin()) return offsets_.front();
    return offsets_[types_[static_cast<std::size_t>(next - changes_.begin() - 1)]];
}

}  // namespace jtimer::detail
