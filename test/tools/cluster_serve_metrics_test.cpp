// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/serve_metrics.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <string>
#include <vector>

using cluster_tool::MetricsValues;
using jtimer::Date;
using jtimer::cluster::NameInfo;
using jtimer::cluster::NodeInfo;
using jtimer::cluster::Pause;

namespace {

const Date kNow{std::chrono::hours(1000)};

MetricsValues valuesOf(std::vector<NameInfo> names) {
    return {std::move(names),
            std::vector<NodeInfo>(),
            std::vector<Pause>(),
            std::map<std::string, Date>(),
            true,
            kNow};
}

NameInfo nameOf(const std::string& name) {
    NameInfo info;
    info.name = name;
    return info;
}

NodeInfo nodeOf(const std::string& name, int leaseLeft) {
    NodeInfo node;
    node.name = name;
    node.leaseLeft = leaseLeft;
    return node;
}

/// Those that begin so, without the comments.
std::string linesOf(const std::string& text, const std::string& begin) {
    std::string lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        const std::string line = text.substr(at, end - at);
        const std::string name = "jtimer_cluster_" + begin;
        if (line.rfind(name, 0) == 0) lines += line.substr(15) + '\n';
        at = end + 1;
    }
    return lines;
}

}  // namespace

BOOST_AUTO_TEST_CASE(o65_each_name_has_its_tasks_by_state) {
    NameInfo mail = nameOf("mail");
    mail.due = 1;
    mail.scheduled = 2;
    mail.paused = 3;
    mail.running = 4;
    mail.dead = 5;
    mail.registeringNodes = 6;
    mail.oldestDue = kNow - std::chrono::milliseconds(1500);
    const std::string text = metricsOf(valuesOf({nameOf("report"), mail}));
    BOOST_TEST(linesOf(text, "tasks{name=\"mail\"") ==
               "tasks{name=\"mail\",state=\"due\"} 1\ntasks{name=\"mail\",state=\"scheduled\"} 2\n"
               "tasks{name=\"mail\",state=\"paused\"} 3\ntasks{name=\"mail\",state=\"running\"} 4\n"
               "tasks{name=\"mail\",state=\"dead\"} 5\n");
    BOOST_TEST(linesOf(text, "oldest") == "oldest_due_seconds{name=\"mail\"} 1.500000\n"
                                          "oldest_due_seconds{name=\"report\"} 0\n");
    BOOST_TEST(linesOf(text, "registering") ==
               "registering_nodes{name=\"mail\"} 6\nregistering_nodes{name=\"report\"} 0\n");
    BOOST_TEST(linesOf(text, "up") == "up 1\n");
    BOOST_TEST(text.find("# HELP jtimer_cluster_tasks Tasks, each counted up to 10000.\n"
                         "# TYPE jtimer_cluster_tasks gauge\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(o65_nodes_have_their_leases_and_names_their_oldest_run) {
    MetricsValues values = valuesOf({nameOf("mail")});
    values.nodes =
        std::vector{nodeOf("b", 20'000), nodeOf("a", 5000), nodeOf("b", 1250), nodeOf("c", -1)};
    values.runningSince = std::map<std::string, Date>{{"mail", kNow - std::chrono::seconds(2)},
                                                      {"new", kNow + std::chrono::seconds(1)}};
    values.pauses = std::vector<Pause>(3);
    const std::string text = metricsOf(values);
    BOOST_TEST(linesOf(text, "nodes") == "nodes 3\n");
    BOOST_TEST(linesOf(text, "lease") == "lease_seconds{node=\"a\"} 5.000000\n"
                                         "lease_seconds{node=\"b\"} 1.250000\n"
                                         "lease_seconds{node=\"c\"} 0.000000\n");
    // Of a clock that is behind the database's.
    BOOST_TEST(linesOf(text, "running_seconds") == "running_seconds_max{name=\"mail\"} 2.000000\n"
                                                   "running_seconds_max{name=\"new\"} 0.000000\n");
    BOOST_TEST(linesOf(text, "pauses") == "pauses 3\n");
}

BOOST_AUTO_TEST_CASE(o65_names_beyond_the_first_200_are_one) {
    std::vector<NameInfo> names;
    std::map<std::string, Date> since;
    for (int i = 999; i >= 700; --i) {
        names.push_back(nameOf("n" + std::to_string(i)));
        names.back().due = 2;
        names.back().registeringNodes = static_cast<std::uint64_t>(i == 950 ? 1 : 3);
        names.back().oldestDue = kNow - std::chrono::seconds(i == 930 ? 60 : 30);
        since[names.back().name] = kNow - std::chrono::seconds(i == 940 ? 9 : 8);
    }
    MetricsValues values = valuesOf(names);
    values.runningSince = since;
    const std::string text = metricsOf(values);
    BOOST_TEST(linesOf(text, "tasks{name=\"n899\",state=\"due\"}") ==
               "tasks{name=\"n899\",state=\"due\"} 2\n");
    BOOST_TEST(text.find("n900") == std::string::npos);
    BOOST_TEST(linesOf(text, "tasks{name=\"(others)\",state=\"due\"}") ==
               "tasks{name=\"(others)\",state=\"due\"} 200\n");
    BOOST_TEST(linesOf(text, "registering_nodes{name=\"(") ==
               "registering_nodes{name=\"(others)\"} 1\n");
    BOOST_TEST(linesOf(text, "oldest_due_seconds{name=\"(") ==
               "oldest_due_seconds{name=\"(others)\"} 60.000000\n");
    BOOST_TEST(linesOf(text, "running_seconds_max{name=\"(") ==
               "running_seconds_max{name=\"(others)\"} 9.000000\n");
}

BOOST_AUTO_TEST_CASE(o65_what_could_not_be_read_is_left_out) {
    MetricsValues values = valuesOf({nameOf("mail")});
    values.names = page::Part<std::vector<NameInfo>>::missing("slow");
    std::string text = metricsOf(values);
    BOOST_TEST(linesOf(text, "") == "up 1\nnodes 0\npauses 0\n");
    values = valuesOf({nameOf("mail")});
    values.isUp = false;
    BOOST_TEST(linesOf(metricsOf(values), "") == "up 0\n");
}

BOOST_AUTO_TEST_CASE(o65_labels_are_escaped) {
    const std::string text = metricsOf(valuesOf({nameOf("a\"b\\c\nd")}));
    BOOST_TEST(linesOf(text, "oldest") == "oldest_due_seconds{name=\"a\\\"b\\\\c\\nd\"} 0\n");
}
