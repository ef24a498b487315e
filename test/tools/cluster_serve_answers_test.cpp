// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/serve_answers.hpp"
#include "cluster/serve_conninfo.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <chrono>
#include <future>
#include <stdexcept>
#include <string>
#include <vector>

using cluster_tool::Answers;
using cluster_tool::Failure;
using cluster_tool::Visit;
using page::Part;

namespace {

struct Away : std::runtime_error {
    using std::runtime_error::runtime_error;
};

Failure failureOf() {
    try {
        throw;
    } catch (const Away& e) {
        return {true, e.what()};
    } catch (const std::exception& e) {
        return {false, e.what()};
    }
}

Answers::Limits limitsOf(std::chrono::milliseconds shared) {
    Answers::Limits limits;
    limits.shared = shared;
    limits.visit = std::chrono::hours(1);
    return limits;
}

constexpr std::chrono::hours kLong(1);
constexpr std::chrono::milliseconds kNone(0);

/// A database with a number, and the answers to the question for it.
struct Number {
    explicit Number(std::chrono::milliseconds shared) : answers(failureOf, limitsOf(shared)) {}

    int read() {
        ++reads;
        if (isAway) throw Away("no connection");
        if (isSlow) throw std::runtime_error("This took longer than 2 s.");
        return ++value;
    }

    Part<int> ask(Visit& visit, const std::string& question = "number") {
        return answers.part(visit, question, [this] { return read(); });
    }
    int value = 0, reads = 0;
    bool isAway = false, isSlow = false;
    Answers answers;
};

}  // namespace

BOOST_AUTO_TEST_CASE(o62_an_answer_is_shared_for_a_while) {
    Number number(kLong);
    Visit first, second;
    BOOST_TEST(number.ask(first).value.value() == 1);
    BOOST_TEST(number.ask(second).value.value() == 1);
    BOOST_TEST(number.ask(second, "other").value.value() == 2);
    BOOST_TEST((second.oldest && second.oldest == first.oldest));
    Number unshared(kNone);
    BOOST_TEST(unshared.ask(first).value.value() == 1);
    BOOST_TEST(unshared.ask(first).value.value() == 2);
}

BOOST_AUTO_TEST_CASE(o62_who_asks_the_same_at_once_waits_for_one_answer) {
    Answers answers(failureOf, limitsOf(kLong));
    std::promise<void> go;
    const std::shared_future<void> gone = go.get_future().share();
    std::atomic<int> reads{0}, begun{0};
    std::vector<std::future<int>> viewers;
    for (int i = 0; i < 8; ++i) {
        viewers.push_back(std::async(std::launch::async, [&] {
            Visit visit;
            ++begun;
            return answers
                .part(visit, "a",
                      [&] {
                          gone.wait();
                          return ++reads;
                      })
                .value.value();
        }));
    }
    while (begun < 8) std::this_thread::yield();
    // Another question is not held up.
    Visit visit;
    BOOST_TEST(answers.part(visit, "b", [] { return 7; }).value.value() == 7);
    go.set_value();
    for (auto& viewer : viewers) BOOST_TEST(viewer.get() == 1);
}

BOOST_AUTO_TEST_CASE(o62_a_part_that_takes_longer_says_so_also_to_those_who_share_it) {
    Number number(kLong);
    number.isSlow = true;
    for (int i = 0; i < 2; ++i) {
        Visit visit;
        const Part<int> part = number.ask(visit);
        BOOST_TEST(!part.value);
        BOOST_TEST(part.why == "This took longer than 2 s.");
        BOOST_TEST(!visit.awaySince);
    }
    BOOST_TEST(number.reads == 1);
}

BOOST_AUTO_TEST_CASE(o62_a_page_that_has_taken_too_long_asks_nothing_more) {
    Answers::Limits limits;
    limits.visit = kNone;
    Answers answers(failureOf, limits);
    Visit visit;
    const Part<int> part = answers.part(visit, "a", []() -> int { throw Away("asked"); });
    BOOST_TEST(part.why == "This page has taken too long already.");
}

BOOST_AUTO_TEST_CASE(o57_after_a_change_all_is_asked_anew) {
    Number number(kLong);
    Visit visit;
    number.ask(visit);
    number.answers.forget();
    BOOST_TEST(number.ask(visit).value.value() == 2);
    // Also what was being asked when the change came.
    const Part<int> before = number.answers.part(visit, "b", [&] {
        number.answers.forget();
        return 1;
    });
    BOOST_TEST(before.value.value() == 1);
    BOOST_TEST(number.ask(visit, "b").value.value() == 3);
}

BOOST_AUTO_TEST_CASE(o63_while_the_database_is_away_the_last_answers_stay) {
    Number number(kNone);
    Visit before;
    number.ask(before);
    number.isAway = true;
    Visit away;
    BOOST_TEST(number.ask(away).value.value() == 1);
    BOOST_TEST((away.awaySince && away.oldest == before.oldest));
    const Part<int> other = number.ask(away, "other");
    BOOST_TEST(!other.value);
    BOOST_TEST(other.why == "no connection");
    Visit later;
    number.ask(later);
    BOOST_TEST((later.awaySince == away.awaySince));
    number.isAway = false;
    Visit back;
    BOOST_TEST(number.ask(back).value.value() == 2);
    BOOST_TEST(!back.awaySince);
    BOOST_TEST((back.oldest > before.oldest));
}

BOOST_AUTO_TEST_CASE(o63_while_the_database_is_away_it_is_asked_once_a_second_by_one) {
    Number number(kLong);
    number.isAway = true;
    Visit visit;
    for (const char* question : {"a", "a", "b", "c"})
        BOOST_TEST(number.ask(visit, question).why == "no connection");
    BOOST_TEST(number.reads == 1);

    Answers answers(failureOf, limitsOf(kNone));
    answers.part(visit, "a", []() -> int { throw Away("first"); });
    // While one asks, another one is told at once.
    int reads = 0;
    const Part<int> part = answers.part(visit, "b", [&]() -> int {
        Visit other;
        BOOST_TEST(answers.part(other, "c", [&] { return ++reads; }).why == "first");
        return 5;
    });
    BOOST_TEST(part.value.value() == 5);
    BOOST_TEST(reads == 0);
}

BOOST_AUTO_TEST_CASE(o63_nothing_is_asked_after_the_end_began) {
    Number number(kNone);
    Visit visit;
    number.ask(visit);
    number.answers.close();
    BOOST_TEST(number.ask(visit).why == "This page has taken too long already.");
    BOOST_TEST(number.reads == 1);
}

BOOST_AUTO_TEST_CASE(o62_few_answers_to_questions_with_parameters_are_kept) {
    Answers::Limits limits = limitsOf(kLong);
    limits.kept = 2;
    Answers answers(failureOf, limits);
    int reads = 0;
    const auto ask = [&](const std::string& question) {
        Visit visit;
        return *answers.part(visit, question, [&] { return ++reads; }).value;
    };
    ask("all");
    for (const char* question : {"a?1", "a?2", "a?3"}) ask(question);
    BOOST_TEST(reads == 4);
    for (const char* question : {"all", "a?2", "a?3"}) ask(question);
    BOOST_TEST(reads == 4);
    ask("a?1");
    BOOST_TEST(reads == 5);
}

BOOST_AUTO_TEST_CASE(o62_statements_have_a_time_limit_beside_the_user_s_options) {
    const auto limited = [](const std::string& conninfo, const char* environment = nullptr) {
        return cluster_tool::withTimeLimit(conninfo, environment, std::chrono::seconds(2));
    };
    const std::string keyword = "options='-c statement_timeout=2000'";
    const std::string parameter = "options=-c%20statement_timeout%3D2000";
    BOOST_TEST(limited("") == keyword);
    BOOST_TEST(limited("host=db password='my options'") ==
               "host=db password='my options' " + keyword);
    BOOST_TEST(limited("", "-c geqo=off \\'") ==
               "options='-c geqo=off \\\\\\' -c statement_timeout=2000'");
    BOOST_TEST(limited("postgresql://") == "postgresql://?" + parameter);
    BOOST_TEST(limited("postgres://u:p?w@h/db") == "postgres://u:p?w@h/db?" + parameter);
    BOOST_TEST(limited("postgresql://h/db?user=a@b", "-c a=b") ==
               "postgresql://h/db?user=a@b&options=-c%20a%3Db%20-c%20statement_timeout%3D2000");
    for (const char* own : {"options=", "host=db options = '-c geqo=off'",
                            "postgresql://h?options=x", "postgresql://h/db?user=u&options=x"})
        BOOST_TEST(limited(own, "-c a=b") == own);
}
