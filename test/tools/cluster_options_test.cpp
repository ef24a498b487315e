// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/options.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <exception>
#include <string>
#include <vector>

using cluster_tool::Command;
using jtimer::Date;
using jtimer::cluster::State;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using Arguments = std::vector<std::string>;

namespace {

const Date kNow{std::chrono::seconds(1'000'000)};

cluster_tool::Options parsed(const Arguments& arguments, const char* conninfo = nullptr) {
    return cluster_tool::parseOptions(arguments, conninfo, kNow);
}

/// Why the command line is refused; empty if it is not.
std::string refusal(const Arguments& arguments) {
    try {
        parsed(arguments);
        return {};
    } catch (const std::exception& e) {
        return e.what();
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(o47_the_database_is_that_of_the_option_or_else_of_the_environment) {
    BOOST_TEST(parsed({"list"}).conninfo == "");
    BOOST_TEST(parsed({"list"}, "host=a").conninfo == "host=a");
    BOOST_TEST(parsed({"--conninfo", "host=b", "list"}, "host=a").conninfo == "host=b");
    BOOST_TEST(parsed({"list"}).schema == "jtimer");
    BOOST_TEST(parsed({"--schema=run_schedule", "list"}).schema == "run_schedule");
    BOOST_TEST(refusal({"--schema", std::string(49, 's'), "list"}) ==
               "--schema: the name: \"" + std::string(49, 's') +
                   "\" cannot be one: expected 1 to 48 bytes of UTF-8");
}

BOOST_AUTO_TEST_CASE(o47_a_refusal_quotes_no_connection_string) {
    BOOST_TEST(refusal({"postgresql://u:secret@h/db", "list"}).find("secret") == std::string::npos);
    BOOST_TEST(refusal({"--conninf=postgresql://u:secret@h/db", "list"}) ==
               "\"--conninf\" is not an option");
}

BOOST_AUTO_TEST_CASE(o48_each_command_has_its_arguments_and_options) {
    BOOST_TEST((parsed({"names"}).command == Command::Names));
    BOOST_TEST((parsed({"nodes", "--json"}).command == Command::Nodes));
    BOOST_TEST((parsed({"backlog"}).command == Command::Backlog));
    BOOST_TEST((parsed({"pauses"}).command == Command::Pauses));
    BOOST_TEST((parsed({"migrate"}).command == Command::Migrate));
    BOOST_TEST(parsed({"schema", "--from", "1"}).from == 1);
    const auto show = parsed({"show", "a", "b", "--payload"});
    BOOST_TEST((show.command == Command::Show && show.payload));
    BOOST_TEST(show.name == "a");
    BOOST_TEST(show.id == "b");
    BOOST_TEST(parsed({"show", "--", "-a", "--b"}).id == "--b");

    const auto past = parsed(
        {"history", "a", "b", "--outcome=gave-up", "--before", "7", "--limit", "5", "--json"});
    BOOST_TEST((past.command == Command::History && past.json));
    BOOST_TEST((past.past.name == "a" && past.past.id == "b"));
    BOOST_TEST((past.past.outcome == jtimer::cluster::Outcome::GaveUp));
    BOOST_TEST(past.past.before == 7);
    BOOST_TEST(past.past.limit == 5U);
    BOOST_TEST((!parsed({"history"}).past.name && !parsed({"history"}).past.outcome));
    const auto kept = parsed({"keep-history", "failures", "--age=2d", "--rows", "9"});
    BOOST_TEST((kept.kept == jtimer::cluster::History::Failures));
    BOOST_TEST((kept.age == std::chrono::hours(48)));
    BOOST_TEST(kept.rows == 9U);
    BOOST_TEST((parsed({"keep-history", "all"}).age == std::chrono::hours(24 * 7)));
    BOOST_TEST(refusal({"history", "--outcome", "fenced"}) ==
               "--outcome: \"fenced\" is not an outcome: expected succeeded, retrying, gave-up, "
               "dead, abandoned or lost");
    BOOST_TEST(refusal({"history", "--before", "-1"}) ==
               "--before: \"-1\" is not such a number: expected 1 or more");
    BOOST_TEST(refusal({"keep-history", "some"}) ==
               "\"some\" is no history: expected off, failures or all");
    BOOST_TEST(refusal({"keep-history", "all", "--json"}) ==
               "--json cannot be used with keep-history");

    BOOST_TEST(refusal({}) == "no COMMAND given");
    BOOST_TEST(refusal({"lost"}).rfind("\"lost\" is not a command: expected list, show", 0) == 0U);
    BOOST_TEST(refusal({"show", "a"}) == "show has 1 argument: expected NAME ID");
    BOOST_TEST(refusal({"names", "a", "b"}) == "names has 2 arguments: expected no argument");
    BOOST_TEST(refusal({"list", "--payload"}) == "--payload cannot be used with list");
    BOOST_TEST(refusal({"schema", "--json"}) == "--json cannot be used with schema");
    BOOST_TEST(refusal({"show", "", "b"}) ==
               "NAME: \"\" cannot be one: expected 1 to 200 bytes of UTF-8");
    BOOST_TEST(refusal({"show", "a", "\xFF"}) ==
               "ID: \"\\xff\" cannot be one: expected 1 to 200 bytes of UTF-8");
}

BOOST_AUTO_TEST_CASE(o48_a_selection_is_a_filter) {
    const auto all = parsed({"list"}).filter;
    BOOST_TEST((!all.name && !all.state && !all.dueBefore && all.idPrefix.empty()));
    BOOST_TEST(all.limit == 100U);
    const auto some = parsed({"list", "mail", "--state", "retrying", "--id-prefix", "x-", "--node",
                              "n", "--due-before", "10m", "--limit", "7"})
                          .filter;
    BOOST_TEST(some.name.value() == "mail");
    BOOST_TEST((some.state == State::Retrying));
    BOOST_TEST(some.idPrefix == "x-");
    BOOST_TEST(some.runningOn == "n");
    BOOST_TEST((some.dueBefore == kNow + std::chrono::minutes(10)));
    BOOST_TEST(some.limit == 7U);
    for (const auto& [name, state] :
         {std::pair("scheduled", State::Scheduled), std::pair("running", State::Running),
          std::pair("dead", State::Dead), std::pair("paused", State::Paused)})
        BOOST_TEST((parsed({"cancel", "--state", name}).filter.state == state));

    BOOST_TEST(refusal({"list", "--state", "odd"}) ==
               "--state: \"odd\" is not a state: expected scheduled, retrying, running, dead or "
               "paused");
    BOOST_TEST(refusal({"list", "--limit", "0"}) ==
               "--limit: \"0\" is not a number of tasks: expected 1 or more");
    BOOST_TEST(refusal({"list", "a", "b", "--state", "dead"}) ==
               "--state cannot be used with an ID");
    BOOST_TEST(refusal({"cancel", "--limit", "1", "a"}) == "--limit cannot be used with cancel");
    BOOST_TEST(refusal({"cancel", "--yes"}) == "cancel would delete all tasks: expected a NAME, or "
                                               "an option that selects some");
    BOOST_TEST(refusal({"revive"}) == "");
}

BOOST_AUTO_TEST_CASE(o48_a_time_is_a_duration_or_one_of_rfc_3339) {
    const auto when = [](const std::string& text) {
        return parsed({"reschedule", "a", "b", text}).when;
    };
    BOOST_TEST((when("90s") == jtimer::When(milliseconds(90'000))));
    const Date date{std::chrono::seconds(1'893'456'000)};
    BOOST_TEST((when("2030-01-01T00:00:00Z") == jtimer::When(date)));
    BOOST_TEST((when("2030-01-01T01:00:00.25+01:00") == jtimer::When(date + milliseconds(250))));
    BOOST_TEST((when("2030-01-01T00:00:00.000001Z") == jtimer::When(date + microseconds(1))));
    BOOST_TEST(refusal({"reschedule", "a", "b", "2030-01-01T00:00:00"}) ==
               "\"2030-01-01T00:00:00\" has no UTC offset: expected one, such as "
               "2030-01-01T08:00:00Z");
    for (const char* text : {"2030-01-01T00:00:00.Z", "2030-01-01T00:00:00.1234567890Z",
                             "2030-13-01T00:00:00Z", "T", "soon", "", "-1s"})
        BOOST_TEST(refusal({"reschedule", "a", "b", text}) != "", text);
}

BOOST_AUTO_TEST_CASE(o48_a_pause_has_one_target) {
    const auto note = parsed({"pause", "mail", "--note", "smtp is away"});
    BOOST_TEST((note.command == Command::Pause && note.name == "mail" && note.id.empty()));
    BOOST_TEST(note.note == "smtp is away");
    BOOST_TEST(parsed({"pause", "mail", "7"}).id == "7");
    BOOST_TEST(parsed({"resume", "--node", "n", "--skip-missed"}).skipMissed);
    BOOST_TEST(parsed({"resume", "--node", "n"}).filter.runningOn == "n");
    BOOST_TEST(parsed({"pause", "--everything", "--yes"}).everything);
    const std::string unclear = "it is not clear what to pause or resume: expected NAME, NAME ID, "
                                "--node NAME or --everything";
    BOOST_TEST(refusal({"pause"}) == unclear);
    BOOST_TEST(refusal({"resume", "mail", "--everything"}) == unclear);
    BOOST_TEST(refusal({"pause", "--node", "n", "--everything"}) == unclear);
    BOOST_TEST(refusal({"pause", "mail", "--yes"}) == "--yes cannot be used without --everything");
    BOOST_TEST(refusal({"pause", "mail", "--note", std::string(201, 'x')}).rfind("--note: ", 0) ==
               0U);
}

BOOST_AUTO_TEST_CASE(o50_run_waits_for_as_long_as_it_is_told) {
    BOOST_TEST(!parsed({"run", "a", "b"}).wait);
    const auto forever = parsed({"run", "--wait", "a", "b"});
    BOOST_TEST((forever.wait && !forever.limit));
    BOOST_TEST(forever.name == "a");
    const auto limited = parsed({"run", "a", "b", "--wait=10s"});
    BOOST_TEST((limited.wait && limited.limit == milliseconds(10'000)));
    BOOST_TEST(refusal({"run", "a", "b", "--wait=0s"}) ==
               "--wait: \"0s\" is no time: expected one such as 10s");
}

BOOST_AUTO_TEST_CASE(o52_prune_has_two_forms) {
    BOOST_TEST(parsed({"prune", "mail", "--keep", "ids"}).keep == "ids");
    const auto old = parsed({"prune", "--unregistered", "--older", "30d"});
    BOOST_TEST((old.keep.empty() && old.filter.dueBefore == kNow - std::chrono::hours(720)));
    for (const Arguments& wrong :
         std::vector<Arguments>{{"prune"},
                                {"prune", "mail"},
                                {"prune", "--keep", "ids"},
                                {"prune", "--unregistered"},
                                {"prune", "--older", "1d"},
                                {"prune", "mail", "--unregistered", "--older", "1d"},
                                {"prune", "mail", "--keep", "ids", "--older", "1d"}})
        BOOST_TEST(refusal(wrong) ==
                   "prune does not know what to delete: expected NAME --keep FILE, or "
                   "--unregistered --older AGE");
}
