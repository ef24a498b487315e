// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "calendar/posix_zone.hpp"
#include "calendar/zone_file.hpp"
#include "fuzz/target.hpp"

#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>

using jtimer::detail::kGreatestOffset;
using jtimer::detail::PosixZone;
using jtimer::detail::ZoneFile;

namespace {

/// Any file is refused, or gives offsets that clocks can have, also at its own changes.
void checkOffsets(const ZoneFile& zone, std::int64_t instant) {
    constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max() / 1'000'000'000;
    for (const std::int64_t each : {instant % last, std::int64_t{0}, last, -last}) {
        MODEL_REQUIRE(std::abs(zone.offsetAt(each)) <= kGreatestOffset);
    }
}

void play(fuzz::Choices choices) {
    const auto instant = static_cast<std::int64_t>(choices.bits(64));
    const std::string contents = choices.text();
    if (const std::optional<ZoneFile> zone = ZoneFile::parse(contents)) {
        checkOffsets(*zone, instant);
        // Cut anywhere, it is refused, or still a zone.
        const auto size =
            static_cast<std::size_t>(static_cast<std::uint64_t>(instant) % (contents.size() + 1));
        if (const auto cut = ZoneFile::parse(contents.substr(0, size))) checkOffsets(*cut, instant);
    }
    if (const std::optional<PosixZone> zone = PosixZone::parse(contents)) {
        MODEL_REQUIRE(std::abs(zone->offsetAt(instant % 1'000'000'000'000)) <= kGreatestOffset);
    }
}

const fuzz::Target target("zone", play);

}  // namespace
