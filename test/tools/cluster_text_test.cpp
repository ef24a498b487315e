// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/json_text.hpp"
#include "cluster/table.hpp"
#include "cluster/text.hpp"
#include "support/time_zone.hpp"
#include "text/columns.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <sstream>
#include <string>
#include <vector>

using cluster_tool::Column;
using jtimer::Date;
using jtimer::cluster::Backlog;
using jtimer::cluster::NameInfo;
using jtimer::cluster::NodeInfo;
using jtimer::cluster::Pause;
using jtimer::cluster::Scope;
using jtimer::cluster::State;
using jtimer::cluster::TaskInfo;
using std::chrono::microseconds;

namespace {

const Date kDate{microseconds(1'893'456'000'250'001)};  // 2030-01-01

TaskInfo taskInfo() {
    TaskInfo task;
    task.name = "mail";
    task.id = "a\xE2\x80\xAE"
              "b";
    task.state = State::Retrying;
    task.scheduledExecutionTime = kDate;
    task.nextAttempt = kDate + std::chrono::seconds(10);
    task.attempt = 2;
    task.fencingToken = 7;
    task.lastError = "no\nroute \x1b[2J";
    task.kind = "fixed rate";
    task.period = 60'000;
    task.payload = std::string("\0\xFF", 2);
    task.payloadSize = 2;
    return task;
}

Pause pauseOf(Scope scope, const std::string& name) {
    return {scope, name, {}, kDate, "me@host", "why"};
}

}  // namespace

BOOST_AUTO_TEST_CASE(o49_a_table_shows_tasks_and_escapes_what_is_invisible) {
    const test::TimeZone utc("UTC0");
    BOOST_TEST(cluster_tool::textOf(std::vector{taskInfo()}, {}) ==
               "name  id              state     due                        node  last error\n"
               "mail  a\\xe2\\x80\\xaeb  retrying  2030-01-01T00:00:10+00:00  -     "
               "no\\x0aroute \\x1b[2J\n");
    BOOST_TEST(cluster_tool::textOf(std::vector<TaskInfo>(), {}) ==
               "name  id  state  due  node  last error\n");
}

BOOST_AUTO_TEST_CASE(o49_a_table_fits_the_terminal_and_elsewhere_nothing_is_cut) {
    const std::vector<Column> columns{{"name"}, {"when", Column::Kind::Whole}, {"error"}};
    const std::vector<cluster_tool::Row> rows{
        {"a name of twenty one", "2030-01-01", "an error that is longer than all"}};
    BOOST_TEST(cluster_tool::tableOf(columns, rows, {}) ==
               "name                  when        error\n"
               "a name of twenty one  2030-01-01  an error that is longer than all\n");
    BOOST_TEST(cluster_tool::tableOf(columns, rows, 44) ==
               "name             when        error\n"
               "a name of twen\u2026  2030-01-01  an error that \u2026\n");
    for (std::size_t width = 1; width < 70; ++width) {
        std::istringstream lines(cluster_tool::tableOf(columns, rows, width));
        for (std::string line; std::getline(lines, line);) BOOST_TEST(widthOf(line) <= width);
    }
}

BOOST_AUTO_TEST_CASE(o49_names_tell_why_due_tasks_do_not_begin) {
    const test::TimeZone utc("UTC0");
    NameInfo nobody, paused, busy;
    nobody.name = "a";
    nobody.due = 10'000;
    nobody.oldestDue = kDate;
    paused.name = "b";
    paused.pause = pauseOf(Scope::Name, "b");
    paused.registeringNodes = 1;
    busy.name = "c";
    busy.registeringNodes = 2;
    BOOST_TEST(cluster_tool::textOf(std::vector{nobody, paused, busy}, {}) ==
               "name     due  scheduled  running  dead  paused  nodes  oldest due                 "
               "next due "
               " remark\n"
               "a     10000+          0        0     0       0      0  2030-01-01T00:00:00+00:00  "
               "-        "
               " no node registers it\n"
               "b          0          0        0     0       0      1  -                          "
               "-        "
               " paused since 2030-01-01T00:00:00+00:00 by me@host: why\n"
               "c          0          0        0     0       0      2  -                          "
               "-        "
               " -\n");
}

BOOST_AUTO_TEST_CASE(o49_nodes_pauses_and_the_backlog_are_tables) {
    const test::TimeZone utc("UTC0");
    NodeInfo node, old;
    node.number = 12;
    node.name = "n1";
    node.library = "0.1.0";
    node.started = old.started = kDate;
    node.leaseLeft = 25'300;
    node.concurrency = 10;
    node.running = 3;
    node.names = {"a", "b"};
    old.number = 3;
    old.name = "n0";
    BOOST_TEST(cluster_tool::textOf(std::vector{node, old}, {}) ==
               "number  name  started                    lease    running  library  names  paused\n"
               "    12  n1    2030-01-01T00:00:00+00:00  25.3s       3/10  0.1.0    a, b   -\n"
               "     3  n0    2030-01-01T00:00:00+00:00  expired      0/?  -        -      -\n");
    BOOST_TEST(cluster_tool::textOf(
                   std::vector{pauseOf(Scope::Name, "a"), pauseOf(Scope::Everything, "")}, {}) ==
               "scope       name  since                      by       note\n"
               "name        a     2030-01-01T00:00:00+00:00  me@host  why\n"
               "everything  -     2030-01-01T00:00:00+00:00  me@host  why\n");
    jtimer::cluster::PastRun run;
    run.fencingToken = 77;
    run.name = "mail";
    run.id = "a\x1b";
    run.outcome = jtimer::cluster::Outcome::GaveUp;
    run.attempt = 3;
    run.started = kDate;
    run.finished = kDate + std::chrono::milliseconds(1500);
    run.node = "n1";
    run.error = "no route";
    BOOST_TEST(
        cluster_tool::textOf(std::vector{run}, {}) ==
        "token  name  id     outcome  attempt  started                    took  node  error\n"
        "   77  mail  a\\x1b  gave-up        3  2030-01-01T00:00:00+00:00  1.5s  n1    "
        "no route\n");
    Backlog backlog;
    backlog.due = 1;
    backlog.paused = 4;
    backlog.oldestDue = microseconds(61'000'000);
    BOOST_TEST(cluster_tool::textOf(backlog) ==
               "due         1\nscheduled   0\nrunning     0\npaused      4\ndead        0\n"
               "nodes       0\noldest due  1m01s ago\n");
}

BOOST_AUTO_TEST_CASE(o49_a_task_is_shown_with_all_that_there_is) {
    const test::TimeZone utc("UTC0");
    BOOST_TEST(cluster_tool::textOf(taskInfo(), true) ==
               "name           mail\n"
               "id             a\\xe2\\x80\\xaeb\n"
               "state          retrying\n"
               "schedule       fixed rate, each 1m\n"
               "missed runs    once\n"
               "due            2030-01-01T00:00:00.250+00:00\n"
               "next attempt   2030-01-01T00:00:10.250+00:00\n"
               "attempt        2\n"
               "crashes        0\n"
               "fencing token  7\n"
               "running on     -\n"
               "running since  -\n"
               "paused         -\n"
               "last error     no\\x0aroute \\x1b[2J\n"
               "payload size   2\n"
               "payload        \\x00\\xff\n");
    TaskInfo cron = taskInfo();
    cron.kind = "cron";
    cron.cron = "0 2 * * *";
    cron.zone = "Europe/Berlin";
    BOOST_TEST(cluster_tool::textOf(cron, false)
                   .find("schedule       cron \"0 2 * * *\" Europe/Berlin\n") != std::string::npos);
    BOOST_TEST(cluster_tool::textOf(cron, false).find("payload  ") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(o49_the_keys_of_json_are_these) {
    const std::string json =
        R"({"name":"mail","id":"a\u202eb","state":"retrying","due":"2030-01-01T00:00:00.250001Z",)"
        R"("next_attempt":"2030-01-01T00:00:10.250001Z","attempt":2,"crashes":0,)"
        R"("fencing_token":7,"running_on":null,"running_since":null,)"
        R"("last_error":"no\u000aroute \u001b[2J","kind":"fixed rate","period_seconds":60.000000,)"
        R"("cron":null,"zone":null,"missed_runs":"once","paused":null,"payload_size":2)";
    BOOST_TEST(cluster_tool::jsonOf(taskInfo(), false) == json + "}\n");
    BOOST_TEST(cluster_tool::jsonOf(taskInfo(), true) == json + ",\"payload\":\"AP8=\"}\n");
    TaskInfo dead;
    dead.kind = "once";
    dead.nextAttempt = Date::max();
    dead.paused = pauseOf(Scope::Task, "");
    BOOST_TEST(cluster_tool::jsonOf(dead, false) ==
               R"({"name":"","id":"","state":"scheduled","due":"1970-01-01T00:00:00.000000Z",)"
               R"("next_attempt":null,"attempt":0,"crashes":0,"fencing_token":0,"running_on":null,)"
               R"("running_since":null,"last_error":null,"kind":"once","period_seconds":null,)"
               R"("cron":null,"zone":null,"missed_runs":null,)"
               R"("paused":{"since":"2030-01-01T00:00:00.250001Z","by":"me@host","note":"why"},)"
               R"("payload_size":0})"
               "\n");
    BOOST_TEST(cluster_tool::jsonOf(NameInfo()) ==
               R"({"name":"","due":0,"scheduled":0,"running":0,"dead":0,"paused_tasks":0,)"
               R"("registering_nodes":0,"oldest_due":null,"next_due":null,"paused":null})"
               "\n");
    NodeInfo node;
    node.library = "0.1.0";
    node.names = {"a", "b\""};
    node.leaseLeft = microseconds(-1'500'000);
    BOOST_TEST(cluster_tool::jsonOf(node) ==
               R"({"number":0,"name":"","started":"1970-01-01T00:00:00.000000Z",)"
               R"("lease_seconds":0.000000,"lease_left_seconds":-1.500000,"running":0,)"
               R"("concurrency":0,"library":"0.1.0","names":["a","b\""],"paused":null})"
               "\n");
    BOOST_TEST(cluster_tool::jsonOf(pauseOf(Scope::Node, "n")) ==
               R"({"scope":"node","name":"n","since":"2030-01-01T00:00:00.250001Z",)"
               R"("by":"me@host","note":"why"})"
               "\n");
    BOOST_TEST(cluster_tool::jsonOf(Backlog()) ==
               R"({"due":0,"scheduled":0,"running":0,"paused_tasks":0,"dead":0,"nodes":0,)"
               R"("oldest_due_seconds":0.000000})"
               "\n");
    BOOST_TEST(cluster_tool::changedJson(3, 4) == "{\"changed\":3,\"selected\":4}\n");
    BOOST_TEST(cluster_tool::changedJson("a", "b", true, "failed") ==
               R"({"name":"a","id":"b","changed":true,"outcome":"failed"})"
               "\n");
    BOOST_TEST(cluster_tool::changedJson(Scope::Everything, "", "", false) ==
               R"({"scope":"everything","name":null,"id":null,"changed":false})"
               "\n");
}

BOOST_AUTO_TEST_CASE(o49_payloads_are_in_base64) {
    BOOST_TEST(cluster_tool::inBase64("") == "");
    BOOST_TEST(cluster_tool::inBase64("f") == "Zg==");
    BOOST_TEST(cluster_tool::inBase64("fo") == "Zm8=");
    BOOST_TEST(cluster_tool::inBase64("foobar") == "Zm9vYmFy");
}

BOOST_AUTO_TEST_CASE(o49_a_message_keeps_its_lines) {
    BOOST_TEST(cluster_tool::linesForTerminal("a\x1b\nb\n") == "a\\x1b\nb\n");
    BOOST_TEST(cluster_tool::linesForTerminal("") == "");
}

BOOST_AUTO_TEST_CASE(o51_what_is_selected_is_shown_with_its_count) {
    const test::TimeZone utc("UTC0");
    const std::string table = cluster_tool::textOf(std::vector{taskInfo()}, {});
    BOOST_TEST(cluster_tool::previewText(1, {taskInfo()}, {}) == "1 task:\n" + table);
    BOOST_TEST(cluster_tool::previewText(11, {taskInfo()}, {}) ==
               "11 tasks, of which the first 1 are:\n" + table);
}
