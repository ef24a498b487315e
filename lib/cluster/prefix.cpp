// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/prefix.hpp"

#include "cluster/checks.hpp"

#include <boost/locale/utf.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

namespace jtimer::cluster::detail {

std::optional<std::string> endOfPrefix(const std::string& prefix) {
    constexpr std::uint32_t kLast = 0x10FFFF;
    std::vector<std::uint32_t> characters;
    for (std::size_t at = 0; at < prefix.size();)
        characters.push_back(takeCharacter(prefix, at).value());
    while (!characters.empty() && characters.back() == kLast) characters.pop_back();
    if (characters.empty()) return {};
    std::uint32_t& last = characters.back();
    last = last == 0xD7FF ? 0xE000 : last + 1;  // what lies between is no character
    std::string end;
    for (const std::uint32_t character : characters)
        boost::locale::utf::utf_traits<char>::encode(character, std::back_inserter(end));
    return end;
}

}  // namespace jtimer::cluster::detail
