// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

namespace jtimer::detail {

/// Whether the program is linked with AddressSanitizer, whatever this library is built with.
bool hasAddressSanitizer() noexcept;

}  // namespace jtimer::detail
