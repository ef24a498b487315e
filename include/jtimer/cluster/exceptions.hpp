// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>

#include <stdexcept>
#include <string>

/// \file
/// What jtimer::cluster throws besides the exceptions of <jtimer/exceptions.hpp>.

namespace jtimer::cluster {

/// The database could not be reached in time, or refused a statement. The call has changed nothing,
/// unless it is an OutcomeUnknownException. `what()` is libpq's message; it never holds a password
/// or a payload.
class JTIMER_API DatabaseException : public std::runtime_error {
  public:
    /// \param sqlState five characters, or empty if the server did not answer
    explicit DatabaseException(const std::string& message, std::string sqlState = {});
    ~DatabaseException() override;

    /// PostgreSQL's code of the error, for example "42501" for a missing privilege; empty if the
    /// server did not answer.
    const std::string& sqlState() const noexcept { return sqlState_; }

  private:
    std::string sqlState_;
};

/// The connection broke while a transaction was being committed, and whether it was committed could
/// not be found out within Options::operationTimeout. The call may have taken effect.
class JTIMER_API OutcomeUnknownException : public DatabaseException {
  public:
    using DatabaseException::DatabaseException;
    ~OutcomeUnknownException() override;
};

/// The schema does not exist, has a version that does not fit, or is for tests where it should not
/// be, or the reverse; or its server is read-only, as a standby is.
class JTIMER_API SchemaException : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
    ~SchemaException() override;
};

/// The run's lease has expired: another node may be running the task already.
class JTIMER_API LeaseLostException : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
    ~LeaseLostException() override;
};

}  // namespace jtimer::cluster
