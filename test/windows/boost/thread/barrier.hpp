// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "thread.hpp"
