// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

namespace jtimer::detail {

/// Gives the calling thread the name that tools such as `top -H` show.
/// \param name at most 15 bytes, which is what Linux keeps
void nameThisThread(const char* name) noexcept;

}  // namespace jtimer::detail
