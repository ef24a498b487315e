// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// Several statements in one round trip, by libpq's pipeline mode.

#include "cluster/connection.hpp"
#include "cluster/failpoint.hpp"

#include <libpq-fe.h>

namespace jtimer::cluster::detail {

#ifdef LIBPQ_HAS_PIPELINING

const bool Connection::kPipelines = true;

Result Connection::execute(const std::vector<Call>& calls, Deadline deadline) {
    for (const Call& call : calls) prepare(call.statement, call.params, deadline);
    if (PQenterPipelineMode(connection_) != 1) fail(message(), false);
    bool sent = false;  // perhaps: libpq does not say
    for (const Call& call : calls) {
        failpoint(call.statement.label(), true, socket());
        if (send(call.statement, call.params) != 1) fail(message(), sent);
        sent = true;
    }
    if (PQpipelineSync(connection_) != 1) fail(message(), true);
    flush(deadline);
    Answer answer{Result(nullptr), {}, {}};
    for (const Call& call : calls) {
        Answer next = receive(deadline);
        if (!answer.error.empty()) continue;  // this one has been left out
        answer = std::move(next);
        if (answer.error.empty()) failpoint(call.statement.label(), false, socket());
    }
    receive(deadline);  // that was all
    if (PQexitPipelineMode(connection_) != 1) fail(message(), true);
    return answer.get();
}

#else

const bool Connection::kPipelines = false;

Result Connection::execute(const std::vector<Call>& calls, Deadline deadline) {
    Result last(nullptr);
    for (const Call& call : calls) last = execute(call.statement, call.params, deadline);
    return last;
}

#endif

}  // namespace jtimer::cluster::detail
