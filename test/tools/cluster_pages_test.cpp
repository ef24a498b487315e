// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/page/actions.hpp"
#include "cluster/page/pages.hpp"
#include "tools/page_values.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

using namespace page_test;
using page::Action;

namespace {

page::TaskPage taskPageOf(const TaskInfo& task) {
    return {task, std::optional<NameInfo>(), std::vector<NodeInfo>(), std::vector<Pause>(),
            PastRuns()};
}

page::NamePage namePageOf(const std::string& name, std::vector<TaskInfo> dead) {
    return {name,
            std::optional<NameInfo>(nameOf(name)),
            std::vector<NodeInfo>(),
            std::vector<Pause>(),
            std::move(dead),
            std::vector<TaskInfo>(),
            std::vector<TaskInfo>(),
            PastRuns()};
}

/// Each page, full of names, notes and errors that are hostile.
std::vector<std::string> hostilePages(const page::Context& context) {
    TaskInfo task = taskOf(kHostile, kHostile, State::Running);
    task.runningOn = task.lastError = task.payload = task.zone = task.cron = kHostile;
    task.kind = "cron";
    task.paused = Pause{Scope::Task, kHostile, kHostile, kNow, kHostile, kHostile};
    NameInfo name = nameOf(kHostile);
    name.due = 1;
    name.pause = Pause{Scope::Name, kHostile, {}, kNow, kHostile, kHostile};
    NodeInfo node = nodeOf(1, {kHostile});
    node.name = node.library = kHostile;
    node.paused = Pause{Scope::Node, kHostile, {}, kNow, kHostile, kHostile};
    PastRun run = runOf(1, Outcome::Dead, seconds(1));
    run.name = run.id = run.node = run.error = kHostile;
    const PastRuns runs{{run}, false};
    const std::vector<Pause> pauses{*name.pause, *node.paused};
    page::Overview overview = overviewOf({name}, {node}, pauses);
    overview.dead = overview.running = overview.next = std::vector{task};
    overview.history = runs;
    jtimer::cluster::Filter filter;
    filter.name = filter.idPrefix = filter.runningOn = kHostile;
    filter.after = {kHostile, kHostile};
    jtimer::cluster::HistoryFilter past;
    past.name = past.id = kHostile;
    page::Confirmation question{Action::Pause, page::ofTask(kHostile, kHostile), 1, {task}};
    return {
        page::overview(overview, context),
        page::tasks({filter, std::vector(101, task)}, context),
        page::names({kHostile, std::vector{name}, std::vector{node}, pauses}, context),
        page::nodes({0, std::vector{node}, pauses}, context),
        page::history({past, runs, page::Part<PastRuns>(runs)}, context),
        page::task({task, std::optional<NameInfo>(name), std::vector{node}, pauses, runs}, context),
        page::name({kHostile, std::optional<NameInfo>(name), std::vector{node}, pauses,
                    std::vector{task}, std::vector{task}, std::vector{task}, runs},
                   context),
        page::confirmation(question, context),
        page::message({500, kHostile}, context)};
}

}  // namespace

BOOST_AUTO_TEST_CASE(o61_no_name_note_or_error_becomes_an_element) {
    page::Context context = actingContext();
    context.cluster = context.query = context.token = kHostile;
    context.payloads = true;
    context.done =
        page::Done{Action::Run, page::Result::Changed, page::ofTask(kHostile, kHostile), 0};
    for (const std::string& html : hostilePages(context)) {
        BOOST_TEST(contains(html, kHarmless));
        BOOST_TEST(!contains(html, "<script"));
        BOOST_TEST(countOf(html, "</title>") == 1);
        BOOST_TEST(!contains(html, "alert('"));
        BOOST_TEST(!contains(html, "\x1b"));
        BOOST_TEST(!contains(html, "\xE2\x80\xAE"));
        BOOST_TEST(!contains(html, "\xFF"));
    }
}

BOOST_AUTO_TEST_CASE(o56_without_actions_no_page_has_a_form) {
    for (const std::string& html : hostilePages(context())) {
        for (const char* element : {"<form", "<input", "<button", "href=\"confirm", "0123abcd"})
            BOOST_TEST(!contains(html, element));
        BOOST_TEST(contains(html, "Read-only"));
    }
}

BOOST_AUTO_TEST_CASE(o55_no_page_has_a_script_or_a_style_of_its_own) {
    for (const std::string& html : hostilePages(actingContext())) {
        for (const char* part : {"<script", " style=", "<style", " onclick", "http-equiv"})
            BOOST_TEST(!contains(html, part));
    }
}

BOOST_AUTO_TEST_CASE(o55_refresh_is_a_link_and_off_by_default) {
    page::Context context = page_test::context();
    context.path = "/tasks";
    context.query = "state=dead";
    const page::TasksPage none{{}, std::vector<TaskInfo>()};
    BOOST_TEST(contains(page::tasks(none, context),
                        "<a href=\"?state=dead\" aria-current=true>off</a>\n"
                        "<a href=\"?state=dead&amp;refresh=5\">5 s</a>\n"));
    context.refresh = 10;
    BOOST_TEST(contains(page::tasks(none, context),
                        "<a href=\"?state=dead&amp;refresh=10\" aria-current=true>10 s</a>\n"));
    BOOST_TEST(page::refreshField(context) == "10; url=?state=dead&refresh=10");
    context.query = "a\r\nb\xFF";
    BOOST_TEST(page::refreshField(context) == "10; url=?ab&refresh=10");
}

BOOST_AUTO_TEST_CASE(o54_the_overview_tells_what_needs_attention) {
    NameInfo alone = nameOf("orders");
    alone.registeringNodes = 0;
    alone.due = 3;
    page::Overview values = overviewOf({nameOf("report"), alone}, {nodeOf(1, {"report"})});
    values.backlog.value->dead = 2;
    const std::string html = page::overview(values, context());
    BOOST_TEST(contains(html, "<ul class=attention>\n"
                              "<li><span class=\"b nobody\">nobody runs this name</span> "
                              "<a href=\"name?name=orders\"><bdi>orders</bdi></a>: 3 tasks due\n"
                              "<li><span class=\"b dead\">dead</span> "
                              "<a href=\"tasks?state=dead\">2 tasks</a> were given up\n</ul>\n"));
    BOOST_TEST(html.find("<bdi>orders</bdi></a><td>") < html.find("<bdi>report</bdi></a><td>"));
    BOOST_TEST(
        contains(page::overview(overviewOf({nameOf("report")}, {nodeOf(1, {"report"})}), context()),
                 "Nothing needs attention"));
}

BOOST_AUTO_TEST_CASE(o62_a_part_that_took_too_long_says_so) {
    page::Overview values = overviewOf({}, {});
    values.names = page::Part<std::vector<NameInfo>>::missing("This took longer than 2 s.");
    const std::string html = page::overview(values, context());
    BOOST_TEST(contains(html, "<h2 id=names>Names</h2>\n"
                              "<p class=missing>This took longer than 2 s.</p>\n"));
    BOOST_TEST(!contains(html, "Nothing needs attention"));
}

BOOST_AUTO_TEST_CASE(o63_while_the_database_is_away_the_page_says_since_when) {
    page::Context context = page_test::context();
    context.awaySince = kNow - seconds(30);
    context.read = kNow - seconds(31);
    BOOST_TEST(contains(
        page::overview(overviewOf({}, {}), context),
        "<p class=\"notice away\" role=alert><strong>The database does not answer</strong> since "
        "<time datetime=2029-12-31T23:59:30.000000Z>2029-12-31 23:59:30.000 UTC</time> "
        "(30.0s ago). What follows was read <time datetime=2029-12-31T23:59:29Z>31.0s "
        "ago</time>.</p>\n"));
}

BOOST_AUTO_TEST_CASE(o54_lists_have_a_hundred_rows_and_go_on_by_key) {
    std::vector<TaskInfo> tasks;
    for (int i = 0; i < 101; ++i) tasks.push_back(taskOf("report", "t" + std::to_string(i)));
    page::TasksPage values{{}, tasks};
    values.filter.name = "report";
    const std::string html = page::tasks(values, context());
    BOOST_TEST(countOf(html, "<tr><th scope=row>") == 100);
    BOOST_TEST(contains(html, "<a href=\"tasks?name=report&amp;after-name=report&amp;"
                              "after-id=t99\">Next page</a>"));
    values.filter.order = jtimer::cluster::Order::Due;
    BOOST_TEST(!contains(page::tasks(values, context()), "Next page"));
    values.tasks.value->pop_back();
    BOOST_TEST(!contains(page::tasks(values, context()), "There are more"));

    std::vector<NameInfo> names;
    for (int i = 250; i > 0; --i) names.push_back(nameOf("n" + std::to_string(1000 + i)));
    const page::NamesPage second{"n1100", names, std::vector<NodeInfo>(), std::vector<Pause>()};
    const std::string listed = page::names(second, context());
    BOOST_TEST(countOf(listed, "<tr><th scope=row>") == 100);
    BOOST_TEST(contains(listed, "<tbody>\n<tr><th scope=row><a href=\"name?name=n1101\">"));
    BOOST_TEST(contains(listed, "<a href=\"names?after=n1200\">Next page</a>"));

    PastRuns runs{{runOf(7, Outcome::Succeeded, seconds(1))}, false};
    BOOST_TEST(contains(page::history({{}, runs, std::nullopt}, context()),
                        "<a href=\"history?before=7\">Next page</a>"));
    runs.complete = true;
    BOOST_TEST(!contains(page::history({{}, runs, std::nullopt}, context()), "Next page"));
}

BOOST_AUTO_TEST_CASE(o57_a_task_can_be_run_paused_rescheduled_and_deleted) {
    const std::string html = page::task(taskPageOf(taskOf("report", "nightly")), actingContext());
    const std::string fields = "<input type=hidden name=token value=\"0123abcd\">"
                               "<input type=hidden name=scope value=\"task\">"
                               "<input type=hidden name=name value=\"report\">"
                               "<input type=hidden name=id value=\"nightly\">\n";
    BOOST_TEST(contains(html, "<form method=post action=run>\n" + fields +
                                  "<button class=run>Run now</button>\n</form>\n"));
    BOOST_TEST(contains(html, "<form method=post action=pause>\n" + fields + "<label for=note>"));
    BOOST_TEST(contains(html, "<form method=post action=reschedule>\n" + fields));
    BOOST_TEST(contains(html, "href=\"confirm?do=cancel&amp;scope=task&amp;name=report&amp;"
                              "id=nightly\">Delete the task\u2026</a>"));
    BOOST_TEST(!contains(html, "action=resume"));

    TaskInfo running = taskOf("report", "nightly", State::Running);
    running.paused = pauseOf(Scope::Task, "report");
    const std::string other = page::task(taskPageOf(running), actingContext());
    BOOST_TEST(!contains(other, "action=run"));
    BOOST_TEST(contains(other, "action=resume"));
    BOOST_TEST(contains(other, "<option value=skip>"));
}

BOOST_AUTO_TEST_CASE(o57_what_changes_several_is_first_shown_with_the_count) {
    page::Confirmation values;
    values.subject.filter.name = "report";
    values.count = 12;
    values.first.assign(10, taskOf("report", "x", State::Dead));
    const std::string html = page::confirmation(values, actingContext());
    BOOST_TEST(contains(html, "<h1>Delete 12 tasks?</h1>"));
    BOOST_TEST(contains(html, "They are gone for ever: 12 tasks."));
    BOOST_TEST(contains(html, "<form method=post action=cancel>\n"
                              "<input type=hidden name=token value=\"0123abcd\">"
                              "<input type=hidden name=name value=\"report\">\n"
                              "<input type=hidden name=confirmed value=\"12\">\n"
                              "<button class=cancel>Delete 12 tasks</button>\n</form>\n"));
    BOOST_TEST(countOf(html, "<tr><th scope=row>") == 10);
    values.count = page::kCountTo;
    BOOST_TEST(contains(page::confirmation(values, actingContext()),
                        "Delete 10000 tasks or more</button>"));
    values.count = 0;
    values.first.clear();
    BOOST_TEST(!contains(page::confirmation(values, actingContext()), "<form"));
}

BOOST_AUTO_TEST_CASE(o57_a_name_can_be_paused_and_its_tasks_revived_and_deleted) {
    page::NamePage values = namePageOf("report", {});
    const std::string html = page::name(values, actingContext());
    BOOST_TEST(contains(html, "confirm?do=pause&amp;scope=name&amp;name=report\""));
    BOOST_TEST(contains(html, "confirm?do=revive&amp;name=report&amp;state=dead\""));
    BOOST_TEST(contains(html, "confirm?do=cancel&amp;name=report\""));
    (*values.info.value)->pause = pauseOf(Scope::Name, "report");
    BOOST_TEST(contains(page::name(values, actingContext()),
                        "confirm?do=resume&amp;scope=name&amp;name=report\""));
}

BOOST_AUTO_TEST_CASE(o60_payloads_are_sizes_unless_they_are_to_be_shown) {
    TaskInfo task = taskOf("report", "nightly");
    task.payload = std::string(4097, 'p');
    task.payloadSize = task.payload.size();
    BOOST_TEST(!contains(page::task(taskPageOf(task), context()), "ppp"));
    BOOST_TEST(contains(page::task(taskPageOf(task), context()), "<dd>4097 bytes</dd>"));
    page::Context context = page_test::context();
    context.payloads = true;
    const std::string html = page::task(taskPageOf(task), context);
    BOOST_TEST(contains(html, '>' + std::string(4096, 'p') + '<'));
    BOOST_TEST(contains(html, "The first 4096 bytes of it."));
}

BOOST_AUTO_TEST_CASE(o54_an_overview_of_100_names_has_at_most_60_kb) {
    std::vector<NameInfo> names;
    std::vector<std::string> registered;
    for (int i = 100; i < 200; ++i) {
        NameInfo name = nameOf("some.application.report-" + std::to_string(i));
        name.due = name.scheduled = page::kCountTo;
        name.oldestDue = kNow - std::chrono::hours(30);
        registered.push_back(name.name);
        names.push_back(name);
    }
    std::vector<NodeInfo> nodes;
    for (int i = 0; i < 10; ++i) nodes.push_back(nodeOf(i, registered));
    page::Overview values = overviewOf(names, nodes);
    TaskInfo dead = taskOf(names[0].name, std::string(36, 'i'), State::Dead);
    dead.lastError = std::string(2000, 'e');
    values.dead = values.running = values.next = std::vector(11, dead);
    for (int i = 0; i < 1000; ++i)
        values.history.value->runs.push_back(
            runOf(i, i % 2 == 0 ? Outcome::Lost : Outcome::Succeeded, seconds(i * 20)));
    const std::string html = page::overview(values, context());
    BOOST_TEST(countOf(html, "<bdi>some.application.report-") >= 100);
    BOOST_TEST(html.size() < 60'000);
}

BOOST_AUTO_TEST_CASE(o64_a_page_says_where_it_is_and_leads_past_its_head) {
    page::Context context = page_test::context();
    context.path = "/nodes";
    const std::string html =
        page::nodes({0, std::vector<NodeInfo>(), std::vector<Pause>()}, context);
    BOOST_TEST(html.substr(0, 15) == "<!DOCTYPE html>");
    BOOST_TEST(contains(html, "<html lang=en>"));
    BOOST_TEST(contains(html, "<title>Nodes - jtimer-cluster</title>"));
    BOOST_TEST(contains(html, "<a class=skip href=\"#main\">"));
    BOOST_TEST(contains(html, "<a href=\"nodes\" aria-current=page>Nodes</a>"));
    BOOST_TEST(countOf(html, "<h1>") == 1);
    context.path = "/a/b";
    BOOST_TEST(contains(page::message({404, {}}, context), "href=\"../style.css\""));
    BOOST_TEST(contains(page::styleSheet(), "prefers-color-scheme: dark"));
}
