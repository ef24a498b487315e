// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/netty/timer_task.hpp>

namespace jtimer::netty {

TimerTask::~TimerTask() = default;

void TimerTask::cancelled(const std::shared_ptr<Timeout>&) {}

}  // namespace jtimer::netty
