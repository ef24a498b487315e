// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/page/actions.hpp"
#include "cluster/page/causes.hpp"
#include "cluster/page/charts.hpp"
#include "cluster/page/html.hpp"
#include "cluster/page/links.hpp"
#include "cluster/page/times.hpp"
#include "tools/page_values.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace page_test;
using jtimer::cluster::Filter;
using page::Action;
using page::Done;
using page::Result;

namespace {

Done doneTo(Action action, Result result, page::Subject subject) {
    return {action, result, std::move(subject), 0};
}

std::string wordsOf(const NameInfo& info, const std::vector<NodeInfo>& nodes,
                    const std::vector<Pause>& pauses = {}) {
    return page::causeOf(info, page::surroundings(nodes, pauses), kNow).words;
}

NameInfo dueName() {
    NameInfo info = nameOf("report");
    info.due = 2;
    info.oldestDue = kNow - seconds(60);
    return info;
}

}  // namespace

BOOST_AUTO_TEST_CASE(o61_text_of_others_ends_no_element_and_turns_no_direction) {
    BOOST_TEST(page::escaped(kHostile) == kHarmless);
    BOOST_TEST(page::bdi("a<b") == "<bdi>a&lt;b</bdi>");
    BOOST_TEST(page::bdiCut("one\ntwo three", 8) == "<bdi>one two\u2026</bdi>");
    BOOST_TEST(page::bdiCut("<<<<", 3) == "<bdi>&lt;&lt;\u2026</bdi>");
    BOOST_TEST(page::preformatted("a\nb\t<i>") ==
               "<pre tabindex=0>\n<bdi>a\nb\\x09&lt;i&gt;</bdi></pre>\n");
    BOOST_TEST(page::link("task?name=\"&id=x", "y") ==
               "<a href=\"task?name=&quot;&amp;id=x\">y</a>");
}

BOOST_AUTO_TEST_CASE(o61_a_name_in_a_link_is_percent_encoded_byte_by_byte) {
    BOOST_TEST(page::taskReference("a b", "\"<&=\xC3\xA4\xFF\n") ==
               "task?name=a%20b&id=%22%3C%26%3D%C3%A4%FF%0A");
    const std::string longest(200, '%');
    BOOST_TEST(page::nameReference(longest).size() == 10 + 3 * longest.size());
}

BOOST_AUTO_TEST_CASE(o54_a_selection_is_in_the_link) {
    Filter filter;
    BOOST_TEST(page::selectsAll(filter));
    BOOST_TEST(page::tasksReference(filter) == "tasks");
    filter.name = "report";
    filter.idPrefix = "a/";
    filter.state = State::Dead;
    filter.runningOn = "n";
    filter.dueBefore = kNow;
    BOOST_TEST(!page::selectsAll(filter));
    BOOST_TEST(page::tasksReference(filter) == "tasks?name=report&prefix=a%2F&state=dead&node=n&"
                                               "due-before=2030-01-01T00%3A00%3A00.000000Z");
    BOOST_TEST(page::confirmationOf(Action::Cancel, page::ofSelection(filter)).substr(0, 33) ==
               "confirm?do=cancel&name=report&pre");
    BOOST_TEST(page::confirmationOf(Action::Pause, page::ofNode("a b")) ==
               "confirm?do=pause&scope=node&name=a%20b");
}

BOOST_AUTO_TEST_CASE(o57_an_action_leads_to_the_page_that_says_what_was_done) {
    const page::Subject nightly = page::ofTask("report", "nightly");
    BOOST_TEST(page::locationAfter(doneTo(Action::Run, Result::Running, nightly)) ==
               "task?name=report&id=nightly&did=run&result=running&on=task&on-name=report&"
               "on-id=nightly");
    BOOST_TEST(page::locationAfter(doneTo(Action::Cancel, Result::Changed, nightly)) ==
               "tasks?name=report&did=cancel&result=changed&on=task&on-name=report&on-id=nightly");
    BOOST_TEST(page::locationAfter(doneTo(Action::Pause, Result::Absent, nightly)).substr(0, 18) ==
               "tasks?name=report&");
    BOOST_TEST(
        page::locationAfter(doneTo(Action::Pause, Result::Already, page::ofName("report"))) ==
        "name?name=report&did=pause&result=already&on=name&on-name=report");
    BOOST_TEST(page::locationAfter(doneTo(Action::Resume, Result::Changed, page::ofNode("n"))) ==
               "nodes?did=resume&result=changed&on=node&on-name=n");
    BOOST_TEST(page::locationAfter(doneTo(Action::Pause, Result::Changed, page::everything())) ==
               "./?did=pause&result=changed&on=everything");
    Filter filter;
    filter.state = State::Dead;
    Done revived = doneTo(Action::Revive, Result::Changed, page::ofSelection(filter));
    revived.count = 3;
    BOOST_TEST(page::locationAfter(revived) ==
               "tasks?state=dead&did=revive&result=changed&count=3");
}

BOOST_AUTO_TEST_CASE(o57_what_was_done_is_a_sentence) {
    const auto told = [](Action action, Result result, const page::Subject& subject) {
        return page::doneHtml(doneTo(action, result, subject));
    };
    const page::Subject nightly = page::ofTask("a", "<b>");
    const std::string task = "The task <bdi>a</bdi> <bdi>&lt;b&gt;</bdi> ";
    BOOST_TEST(told(Action::Run, Result::Changed, nightly) == task + "is due now.");
    BOOST_TEST(told(Action::Run, Result::Running, nightly) ==
               task + "is running: nothing has changed.");
    BOOST_TEST(told(Action::Reschedule, Result::Changed, nightly) == task + "is rescheduled.");
    BOOST_TEST(told(Action::Reschedule, Result::Absent, nightly) ==
               task + "does not exist: nothing has changed.");
    BOOST_TEST(told(Action::Cancel, Result::Changed, nightly) == task + "is deleted.");
    BOOST_TEST(told(Action::Cancel, Result::Running, nightly) ==
               task + "is deleted, and its run goes on.");
    BOOST_TEST(told(Action::Pause, Result::Changed, page::ofName("a")) ==
               "The name <bdi>a</bdi> is paused.");
    BOOST_TEST(told(Action::Pause, Result::Already, page::ofNode("a")) ==
               "The node <bdi>a</bdi> has been paused before, and stays so.");
    BOOST_TEST(told(Action::Resume, Result::Changed, page::everything()) ==
               "Everything is resumed.");
    BOOST_TEST(told(Action::Resume, Result::Already, page::everything()) ==
               "Everything is not paused.");
    Done done = doneTo(Action::Cancel, Result::Changed, page::ofSelection({}));
    BOOST_TEST(page::doneHtml(done) == "There is no such task: nothing has changed.");
    done.count = 1;
    BOOST_TEST(page::doneHtml(done) == "1 task is deleted.");
    done.count = 2;
    done.action = Action::Revive;
    BOOST_TEST(page::doneHtml(done) == "2 tasks are due now.");
}

BOOST_AUTO_TEST_CASE(o57_the_words_of_actions_and_results_are_read_again) {
    for (const Action action : {Action::Run, Action::Pause, Action::Resume, Action::Cancel,
                                Action::Revive, Action::Reschedule})
        BOOST_TEST((page::actionOf(page::nameOf(action)) == action));
    for (const Result result : {Result::Changed, Result::Already, Result::Absent, Result::Running})
        BOOST_TEST((page::resultOf(page::nameOf(result)) == result));
    BOOST_TEST(!page::actionOf("delete"));
    BOOST_TEST(!page::resultOf(""));
}

BOOST_AUTO_TEST_CASE(o54_the_causes_are_told_apart) {
    const NameInfo due = dueName();
    std::vector<NodeInfo> nodes{nodeOf(1, {"report"}), nodeOf(2, {"other"})};
    BOOST_TEST(wordsOf(nameOf("report"), nodes).empty());
    BOOST_TEST(wordsOf(due, nodes) == "held by a limit, or not claimed yet");
    NameInfo early = due;
    early.oldestDue = kNow - milliseconds(4999);
    BOOST_TEST(wordsOf(early, nodes) == "about to begin");
    nodes[0].running = 16;
    BOOST_TEST(wordsOf(due, nodes) == "no idle slot");
    nodes[0].paused = pauseOf(Scope::Node, "worker-1");
    BOOST_TEST(wordsOf(due, nodes) == "its nodes are paused");
    BOOST_TEST(wordsOf(due, nodes, {pauseOf(Scope::Everything, {})}) == "everything is paused");
    NameInfo alone = due;
    alone.registeringNodes = 0;
    BOOST_TEST(wordsOf(alone, nodes) == "nobody runs this name");
    nodes[1].library.clear();
    BOOST_TEST(wordsOf(alone, nodes) ==
               "nobody runs this name, unless a node of an old library does");
    nodes[1].leaseLeft = 0;
    BOOST_TEST(wordsOf(alone, nodes) == "nobody runs this name");
    alone.due = alone.scheduled = 0;
    BOOST_TEST(wordsOf(alone, nodes).empty());
    alone.pause = pauseOf(Scope::Name, "report");
    BOOST_TEST(wordsOf(alone, nodes) == "paused");
    // What could not be read is not guessed.
    BOOST_TEST(page::causeOf(due, {}, kNow).words.empty());
}

BOOST_AUTO_TEST_CASE(o54_a_time_is_relative_and_exact) {
    BOOST_TEST(page::relative(kNow - seconds(65), kNow) ==
               "<time datetime=2029-12-31T23:58:55Z>1m05s ago</time>");
    BOOST_TEST(page::exact(kNow + milliseconds(1250), kNow) ==
               "<time datetime=2030-01-01T00:00:01.250000Z>2030-01-01 00:00:01.250 UTC</time> "
               "(in 1.2s)");
    BOOST_TEST(page::relative(Date::max(), kNow) == "<span class=none>\u2013</span>");
    BOOST_TEST(contains(page::relative(Date::min(), kNow), ">21915d00h ago<"));
}

BOOST_AUTO_TEST_CASE(o64_a_chart_is_an_image_with_its_figures_as_a_table) {
    PastRuns history;
    BOOST_TEST(page::charts(history).empty());
    history.runs = {runOf(3, Outcome::Succeeded, seconds(1)),
                    runOf(2, Outcome::Retrying, seconds(2)),
                    runOf(1, Outcome::Succeeded, seconds(3))};
    BOOST_TEST(page::charts(history) ==
               "<p>The 3 runs that were kept, by when they ended: from "
               "<time>2029-12-31 23:59:57Z</time> to "
               "<time>2030-01-01 00:00:00Z</time>, each bar 1s.</p>\n"
               "<div class=charts>\n"
               "<figure><figcaption><strong>Succeeded:</strong> 2, at most 1 in 1s</figcaption>\n"
               "<svg role=img aria-label=\"Succeeded: 2, at most 1 in 1s\" width=\"12%\" "
               "viewBox=\"0 0 30 40\" preserveAspectRatio=none>"
               "<path class=e0 d=\"M5 40v-40M25 40v-40\"/></svg>\n</figure>\n"
               "<figure><figcaption><strong>Failed, and retried:</strong> 1, at most 1 in "
               "1s</figcaption>\n"
               "<svg role=img aria-label=\"Failed, and retried: 1, at most 1 in 1s\" width=\"12%\" "
               "viewBox=\"0 0 30 40\" preserveAspectRatio=none>"
               "<path class=e1 d=\"M15 40v-40\"/></svg>\n</figure>\n"
               "<figure><figcaption><strong>Time taken:</strong> median 1.2s, at most "
               "1.2s</figcaption>\n"
               "<svg role=img aria-label=\"Time taken: median 1.2s, at most 1.2s\" width=\"12%\" "
               "viewBox=\"0 0 30 40\" preserveAspectRatio=none>"
               "<path class=longest d=\"M5 40v-40M15 40v-40M25 40v-40\"/>"
               "<path class=median d=\"M5 40v-40M15 40v-40M25 40v-40\"/></svg>\n"
               "</figure>\n"
               "<figure><figcaption><strong>Late, first attempts:</strong> median 10ms, at most "
               "10ms</figcaption>\n"
               "<svg role=img aria-label=\"Late, first attempts: median 10ms, at most 10ms\" "
               "width=\"12%\" viewBox=\"0 0 30 40\" preserveAspectRatio=none>"
               "<path class=longest d=\"M5 40v-40M15 40v-40M25 40v-40\"/>"
               "<path class=median d=\"M5 40v-40M15 40v-40M25 40v-40\"/></svg>\n"
               "</figure>\n"
               "</div>\n"
               "<details><summary>The figures of the charts as a table</summary>\n"
               "<div class=scroll role=region tabindex=0 aria-label=\"Figures of the "
               "charts\"><table class=\"n2 n3 n4 n5 n6 n7\">\n"
               "<thead><tr><th scope=col>From<th scope=col>Succeeded"
               "<th scope=col>Failed, and retried<th scope=col>Given up"
               "<th scope=col>Lost or abandoned<th scope=col>Took: median, at most"
               "<th scope=col>Late: median, at most\n<tbody>\n"
               "<tr><th scope=row><time>2029-12-31 23:59:57Z</time>"
               "<td>1<td>0<td>0<td>0<td>1.2s, 1.2s"
               "<td>10ms, 10ms\n"
               "<tr><th scope=row><time>2029-12-31 23:59:58Z</time>"
               "<td>0<td>1<td>0<td>0<td>1.2s, 1.2s"
               "<td>10ms, 10ms\n"
               "<tr><th scope=row><time>2029-12-31 23:59:59Z</time>"
               "<td>1<td>0<td>0<td>0<td>1.2s, 1.2s"
               "<td>10ms, 10ms\n"
               "</table></div>\n</details>\n");
}

BOOST_AUTO_TEST_CASE(o64_a_chart_has_at_most_24_bars_of_a_round_width) {
    PastRuns history;
    history.runs = {runOf(2, Outcome::Succeeded, seconds(1)),
                    runOf(1, Outcome::Lost, std::chrono::hours(5))};
    BOOST_TEST(contains(page::charts(history), "each bar 15m."));
    history.runs[1] = runOf(1, Outcome::Lost, std::chrono::hours(24 * 365 * 40));
    BOOST_TEST(contains(page::charts(history), "each bar 365d."));
}
