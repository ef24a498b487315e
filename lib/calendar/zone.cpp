// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "calendar/zone.hpp"

#include "calendar/civil_date.hpp"
#include "calendar/posix_zone.hpp"

#include <jtimer/exceptions.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <utility>
#include <vector>

namespace jtimer::detail {

namespace {

constexpr std::streamsize kLargestFile = 1 << 20;

/// A name leads to no other folder.
bool isName(const std::string& name) {
    const auto isGood = [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-' || c == '+' || c == '/';
    };
    return !name.empty() && name.front() != '/' && std::all_of(name.begin(), name.end(), isGood);
}

/// \returns the contents; empty if it cannot be read
std::string readFile(const std::string& fileName) {
    std::ifstream file(fileName, std::ios::binary);
    std::string contents(kLargestFile, '\0');
    file.read(contents.data(), kLargestFile);
    contents.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
    return contents;
}

/// What TZ names or says, as the C library reads it: a colon at the beginning has no meaning.
std::string nameInEnvironment() {
    const char* const set = std::getenv("TZ");
    const std::string text = set == nullptr ? "" : set;
    return text.substr(text.rfind(':', 0) == 0 ? 1 : 0);
}

/// Where the C library looks for a zone first.
std::string fileOf(const std::string& name) {
    return name.front() == '/' ? name : zoneFolder() + '/' + name;
}

}  // namespace

std::string zoneFolder() {
    const char* set = std::getenv("TZDIR");
    return set != nullptr && *set != '\0' ? set : "/usr/share/zoneinfo";
}

struct Zone::Data {
    std::vector<std::int64_t> changes;      ///< in ascending order
    std::vector<unsigned char> types;       ///< after each change
    std::vector<std::int64_t> offsets;      ///< of each type; that of type 0 holds at first
    std::optional<PosixZone> afterChanges;  ///< after the last change
};

/// Reads a zone file, as RFC 8536 describes it: a header and a block of data with times of 32 bits,
/// and, from version 2 on, the same again with 64 bits and a line with the rules for later times.
class Zone::Reader {
  public:
    explicit Reader(std::string_view file) : rest_(file) {}

    /// \returns nothing if the file is another one, or counts leap seconds
    std::optional<Data> read() {
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

    std::optional<Data> readData(const Header& header, std::size_t timeSize) {
        const auto [utcs, standards, leaps, changes, types, characters] = header.counts;
        if (!good_ || leaps != 0 || types == 0 || header.size(timeSize) > rest_.size()) return {};
        Data data;
        for (std::size_t i = 0; i < changes; ++i) data.changes.push_back(takeNumber(timeSize));
        for (const char type : take(changes)) {
            data.types.push_back(static_cast<unsigned char>(type));
            if (data.types.back() >= types) return {};
        }
        for (std::size_t i = 0; i < types; ++i) {
            data.offsets.push_back(takeNumber(4));
            take(2);
        }
        take(characters + standards + utcs);
        if (!std::is_sorted(data.changes.begin(), data.changes.end())) return {};
        const std::size_t end = rest_.find('\n', 1);
        if (timeSize == 8 && rest_.size() > 1 && end != rest_.npos) {
            data.afterChanges = PosixZone::parse(rest_.substr(1, end - 1));
        }
        return data;
    }

    static constexpr std::array<char, 16> kNothing{};

    std::string_view rest_;
    bool good_ = true;
};

std::optional<Zone::Data> Zone::find(const std::string& name) {
    std::optional<Data> data;
    if (isName(name)) data = Reader(readFile(zoneFolder() + '/' + name)).read();
    if (!data && name == "UTC") {
        data.emplace();
        data->offsets = {0};
    }
    return data;
}

bool Zone::isKnown(const std::string& name) { return find(name).has_value(); }

Zone Zone::named(const std::string& name) {
    std::optional<Data> data = find(name);
    if (!data) throw IllegalArgumentException("Unknown time zone: " + name);
    Zone zone;
    zone.name_ = name;
    zone.data_ = std::make_shared<const Data>(std::move(*data));
    return zone;
}

std::optional<Zone> Zone::ofEnvironment() {
    const std::string name = nameInEnvironment();
    std::optional<Data> data;
    if (!name.empty()) data = Reader(readFile(fileOf(name))).read();
    if (!data) return std::nullopt;
    Zone zone;
    zone.data_ = std::make_shared<const Data>(std::move(*data));
    return zone;
}

bool isLocalZoneKnown() {
    const std::string name = nameInEnvironment();
    if (name.empty() || name == "UTC" || name == "GMT") return true;
    if (readFile(fileOf(name)).rfind("TZif", 0) == 0) return true;
    // A rule may leave out when summer time begins and ends.
    return PosixZone::parse(name) || PosixZone::parse(name + ",M3.2.0,M11.1.0");
}

std::optional<std::int64_t> Zone::offsetAt(std::int64_t moment) const {
    if (!data_) return localOffsetAt(moment);
    const auto& [changes, types, offsets, afterChanges] = *data_;
    const auto next = std::upper_bound(changes.begin(), changes.end(), moment);
    if (next == changes.end() && afterChanges) return afterChanges->offsetAt(moment);
    if (next == changes.begin()) return offsets.front();
    return offsets[types[static_cast<std::size_t>(next - changes.begin() - 1)]];
}

std::vector<std::int64_t> Zone::momentsOf(std::int64_t local) const {
    std::vector<std::int64_t> moments;
    // The clocks change at most once in these two days, so one of the two offsets applies.
    for (const std::int64_t nearby : {local - kSecondsPerDay, local + kSecondsPerDay}) {
        const std::optional<std::int64_t> offset = offsetAt(nearby);
        if (!offset || offsetAt(local - *offset) != offset) continue;
        moments.push_back(local - *offset);
    }
    std::sort(moments.begin(), moments.end());
    moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
    return moments;
}

std::optional<std::int64_t> Zone::momentOf(std::int64_t local) const {
    const std::optional<std::int64_t> before = offsetAt(local - kSecondsPerDay);
    if (!before || !offsetAt(local + kSecondsPerDay)) return std::nullopt;
    const std::vector<std::int64_t> moments = momentsOf(local);
    return moments.empty() ? local - *before : moments.back();
}

}  // namespace jtimer::detail
