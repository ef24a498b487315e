// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "sync/reported_wait.hpp"
#include "tokio/driver.hpp"

#include <cstdint>
#include <string>

namespace jtimer::tokio::detail {

/// For a call that blocks until a turn of a polled driver ends the wait: no thread turns it. A
/// driver with a thread has nothing to report: what is waited for comes in its time.
class UnturnedReport final : public jtimer::detail::WaitReport {
  public:
    /// \param driver must outlive the report
    UnturnedReport(Driver& driver, const char* call) noexcept
        : WaitReport(driver.isPolled()), driver_(driver), call_(call) {}

    /// To be called when a wait begins. \param lock of the driver, held
    void begin(const Lock& lock) noexcept;

  private:
    std::string text() override;

    Driver& driver_;
    const char* const call_;
    // When the wait began.
    std::uint64_t turns_ = 0;
    Nanos manualTime_ = kNever;
};

}  // namespace jtimer::tokio::detail
