// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/in_handler.hpp"

#include <utility>

namespace jtimer::cluster::detail {

namespace {

thread_local const Environment* current = nullptr;

}  // namespace

InHandler::InHandler(const Environment& node) noexcept : outer_(std::exchange(current, &node)) {}

InHandler::~InHandler() { current = outer_; }

bool InHandler::isOf(const Environment& node) noexcept { return current == &node; }

}  // namespace jtimer::cluster::detail
