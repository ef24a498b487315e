// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

// The judge of the stress, by what the handlers have committed with their ends, by the runs that
// the schema keeps, and by the rows that were deleted.

#include "cluster/stress.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace test::stress {

/// The judge, when all nodes have ended. What the operators do is in `deleted` by their
/// application's name.
inline void judgeEffects(Stress& stress) {
    stress.sql()("analyze");
    const std::string once = "name in ('once', 'mortal', 'doomed')";
    stress.expectNone("lost", "select name, id from given except select name, id from effect "
                              "except select name, id from deleted where by = 'operator'");
    stress.expectNone("effective twice",
                      "select name, id from effect where " + once +
                          " group by name, id having count(*) > 1 union all "
                          "select name, id from effect group by name, id, due having count(*) > 1");
    stress.expectNone("effective, though it was cancelled",
                      "select name, id from effect join deleted using (name, id) where " + once +
                          " and by = 'operator'");
    stress.expectNone("ended without its effect",
                      "select name, id, token from deleted where by <> 'operator' except "
                      "select name, id, token from effect");
    stress.expectNone("early", "select name, id, due, at from effect where due > "
                               "extract(epoch from at) * 1000000");
    stress.expectNone("out of order",
                      "select name, id, due, token from (select *, lag(token) over (partition by "
                      "name, id order by due) as before from effect) each where token < before");
    stress.expectNone("one token for two effects",
                      "select token from effect group by token having count(*) > 1");
    stress.expectNone("left",
                      "select name, id from jtimer.task where owner is not null or " + once);
    stress.expectNone("left", "select id from jtimer.node");
}

/// That the table `run` has what was effective, and nothing else.
/// \param since microseconds: of what was effective before, some nodes kept no runs
inline void judgeRuns(Stress& stress, std::int64_t since) {
    stress.expectNone("an effect without its run",
                      "select name, id, token from effect where extract(epoch from at) * 1000000 "
                      "> " +
                          std::to_string(since) +
                          " except "
                          "select name, id, token from jtimer.run where outcome = 'succeeded'");
    stress.expectNone("a run without its effect",
                      "select name, id, token from jtimer.run where outcome = 'succeeded' except "
                      "select name, id, token from effect");
}

/// That no claim took what was paused: the server has received each one before pause() returned, or
/// after the call of what ended the pause. A paused task runs once for each call of runNow(), and
/// again if its node died meanwhile.
inline void judgePauses(Stress& stress, const std::vector<Paused>& paused) {
    Session& sql = stress.sql();
    sql("create index run_started on jtimer.run (started)");
    sql("create table paused (scope text, name text, id text, \"from\" timestamptz, "
        "until timestamptz, run_nows int)");
    const auto time = [](std::int64_t micros) {
        return "timestamptz 'epoch' + " + std::to_string(micros) + " * interval '1 microsecond'";
    };
    for (const Paused& each : paused)
        sql("insert into paused values ($1, $2, $3, " + time(each.begin) + ", " + time(each.end) +
                ", $4)",
            {each.scope, each.name, each.id, std::to_string(each.runNows)});
    sql("analyze");
    const std::string during = " and started > \"from\" and started < until";
    stress.expectNone(
        "claimed in a pause",
        "select scope, paused.name, run.name, run.id, token, node, started, \"from\", until "
        "from paused join jtimer.run on case scope when 'name' then run.name = paused.name "
        "when 'node' then node = paused.name else scope = 'everything' end" +
            during);
    stress.expectNone(
        "a paused task was claimed",
        "select paused.name, paused.id, \"from\", until, run_nows, count(*) from paused join "
        "jtimer.run on scope = 'task' and run.name = paused.name and run.id = paused.id" +
            during +
            " group by 1, 2, 3, 4, 5 having count(*) > run_nows + count(*) filter (where outcome "
            "= 'lost')");
}

/// That there never were more runs of the name at once, beyond the time that a statement may take
/// from its arrival, which `run` tells, to its snapshot or commit. Call it after judgePauses().
inline void judgeLimit(Stress& stress, const std::string& name, int limit) {
    const std::string atOnce =
        "select later.token, count(*) from jtimer.run later join jtimer.run earlier "
        "on earlier.name = later.name and earlier.started <= later.started "
        "and earlier.started > later.started - interval '10 s' "
        "and earlier.finished - interval '50 ms' > later.started "
        "where later.name = '" +
        name + "' group by later.token";
    stress.expectNone("more at once than its limit",
                      atOnce + " having count(*) > " + std::to_string(limit));
    BOOST_TEST_MESSAGE(name << ": limit " << limit << ", at once "
                            << stress.sql()("select max(count) from (" + atOnce + ") each")
                            << ", runs " << stress.count("jtimer.run where name = '" + name + "'"));
}

/// After each kill, or after a later gap of the renewals, the node is declared dead within lease +
/// 0.5 s, unless the server was away meanwhile. On a busy machine there are gaps, too. A node that
/// was killed before it had a row has none to take over.
inline void judgeTakeOvers(Stress& stress) {
    int checked = 0;
    for (const Stress::Kill& kill : stress.kills) {
        const bool disturbed = std::any_of(
            stress.outages.begin(), stress.outages.end(), [&](const Stress::Outage& outage) {
                return outage.begin - 100'000 < kill.at + 1'500'000 &&
                       kill.at < outage.end + 1'000'000;
            });
        if (disturbed) continue;
        const std::string after = stress.sql()(
            "select extract(epoch from at) - greatest($2::float8 / 1000000, (select "
            "extract(epoch from max(resumed)) from gap where resumed < at)) from gone "
            "where name = $1 and extract(epoch from started) < $2::float8 / 1000000 "
            "and extract(epoch from at) > $2::float8 / 1000000 order by at desc limit 1",
            {kill.node, std::to_string(kill.at)});
        if (after.empty()) continue;
        ++checked;
        BOOST_TEST(std::stod(after) <= kLease / 1000.0 + 0.5,
                   kill.node << " was declared dead after " << after << " s");
    }
    BOOST_TEST_MESSAGE(checked << " take-overs were measured, " << stress.count("gap") << " gaps");
}

}  // namespace test::stress
