// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/cluster/exceptions.hpp>

#include <utility>

namespace jtimer::cluster {

DatabaseException::DatabaseException(const std::string& message, std::string sqlState)
    : runtime_error(message), sqlState_(std::move(sqlState)) {}

// Out of line, so that one library has each class's virtual table.
DatabaseException::~DatabaseException() = default;
OutcomeUnknownException::~OutcomeUnknownException() = default;
SchemaException::~SchemaException() = default;
LeaseLostException::~LeaseLostException() = default;

}  // namespace jtimer::cluster
