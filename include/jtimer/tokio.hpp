// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

/// \file
/// All of jtimer::tokio, and the clocks. co_await needs C++20, see <jtimer/tokio/await.hpp>.

#include <jtimer/clock.hpp>
#include <jtimer/tokio/await.hpp>
#include <jtimer/tokio/block_on.hpp>
#include <jtimer/tokio/blocker.hpp>
#include <jtimer/tokio/completion.hpp>
#include <jtimer/tokio/delay_key.hpp>
#include <jtimer/tokio/delay_queue.hpp>
#include <jtimer/tokio/driver_shutdown.hpp>
#include <jtimer/tokio/interval.hpp>
#include <jtimer/tokio/notify.hpp>
#include <jtimer/tokio/select.hpp>
#include <jtimer/tokio/sleep.hpp>
#include <jtimer/tokio/task.hpp>
#include <jtimer/tokio/time_driver.hpp>
#include <jtimer/tokio/timeout.hpp>
#include <jtimer/tokio/waker.hpp>
