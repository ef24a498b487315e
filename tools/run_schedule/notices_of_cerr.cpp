// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "notices_of_cerr.hpp"

#include <cstddef>
#include <iostream>
#include <utility>

NoticesOfCerr::NoticesOfCerr(Say say) : say_(std::move(say)), before_(std::cerr.rdbuf(this)) {}

NoticesOfCerr::~NoticesOfCerr() { std::cerr.rdbuf(before_); }

std::streamsize NoticesOfCerr::xsputn(const char* text, std::streamsize size) {
    add({text, static_cast<std::size_t>(size)});
    return size;
}

NoticesOfCerr::int_type NoticesOfCerr::overflow(int_type c) {
    const char character = traits_type::to_char_type(c);
    if (!traits_type::eq_int_type(c, traits_type::eof())) add({&character, 1});
    return traits_type::not_eof(c);
}

void NoticesOfCerr::add(std::string_view text) {
    const std::lock_guard lock(mutex_);
    for (const char c : text) {
        if (c != '\n') {
            line_ += c;
        } else {
            say_(std::exchange(line_, {}));
        }
    }
}
