// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/serve_access.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

using cluster_tool::Access;
using cluster_tool::isSame;
using http::Request;
using http::Response;

namespace {

const Access::Time kNow{std::chrono::hours(1)};
constexpr const char* kOwn = "127.0.0.1:8980";

Access::Rules rulesOf(const std::string& host, std::vector<std::string> hosts = {}) {
    Access::Rules rules;
    rules.listen = {host, 8980};
    rules.hosts = std::move(hosts);
    rules.allowsActions = true;
    rules.token = "secret";
    return rules;
}

Request get(const std::string& host, std::vector<http::Field> fields = {}) {
    fields.emplace_back("Host", host);
    return {"GET", "/", std::move(fields), ""};
}

Request post(std::vector<http::Field> fields = {}, const std::string& host = kOwn) {
    Request request = get(host, std::move(fields));
    request.method = "POST";
    return request;
}

/// 200: it may be answered.
unsigned statusOf(Access& access, const Request& request, Access::Time now = kNow,
                  const std::string& path = "/") {
    const std::optional<Response> response = access.refusal(request, path, now);
    return response ? response->status : 200;
}

std::string fieldIn(const Response& response, const std::string& name) {
    for (const auto& [each, value] : response.fields) {
        if (each == name) return value;
    }
    return "";
}

std::string refusalOf(const cluster_tool::ServeOptions& options) {
    try {
        cluster_tool::checkServe(options);
    } catch (const std::invalid_argument& e) {
        return e.what();
    }
    return "";
}

}  // namespace

BOOST_AUTO_TEST_CASE(o59_the_host_is_the_address_listened_on_or_localhost_with_the_port) {
    Access access(rulesOf("127.0.0.1"));
    for (const char* host : {kOwn, "localhost:8980", "LocalHost:8980", "[::1]:8980"})
        BOOST_TEST(statusOf(access, get(host)) == 200U, host);
    for (const char* host :
         {"127.0.0.1", "127.0.0.1:80", "localhost", "localhost:", "localhost:8980x",
          "evil.example:8980", "192.0.2.1:8980", "localhost.evil.example:8980", "", ":8980",
          "127.0.0.1:8980:8980", "127.0.0.1@evil:8980", "2130706433:8980"})
        BOOST_TEST(statusOf(access, get(host)) == 421U, host);
}

BOOST_AUTO_TEST_CASE(o59_a_request_has_one_host) {
    Access access(rulesOf("127.0.0.1"));
    BOOST_TEST(statusOf(access, {"GET", "/", {}, ""}) == 421U);
    BOOST_TEST(statusOf(access, get(kOwn, {{"Host", "evil.example"}})) == 421U);
    BOOST_TEST(statusOf(access, get(kOwn, {{"hOST", kOwn}})) == 421U);
}

BOOST_AUTO_TEST_CASE(o59_port_80_may_be_left_out) {
    Access::Rules rules = rulesOf("192.0.2.1");
    rules.listen.port = 80;
    Access access(rules);
    for (const char* host : {"192.0.2.1", "192.0.2.1:80", "localhost"})
        BOOST_TEST(statusOf(access, get(host)) == 200U, host);
}

BOOST_AUTO_TEST_CASE(o59_other_names_are_given_by_host_perhaps_with_the_port_of_a_proxy) {
    Access access(rulesOf("192.0.2.1", {"Ops.example", "tls.example:443", "odd.example:8443"}));
    for (const char* host : {"ops.example", "OPS.example:8980", "tls.example", "tls.example:443",
                             "odd.example:8443", "192.0.2.1:8980", "localhost:8980"})
        BOOST_TEST(statusOf(access, get(host)) == 200U, host);
    for (const char* host : {"ops.example:81", "tls.example:8980", "odd.example", "xops.example",
                             "127.0.0.1:8980", "192.0.2.2:8980"})
        BOOST_TEST(statusOf(access, get(host)) == 421U, host);
}

BOOST_AUTO_TEST_CASE(o59_who_listens_on_all_addresses_is_each_of_them_but_no_unknown_name) {
    for (const char* listen : {"0.0.0.0", "::"}) {
        Access access(rulesOf(listen, {"ops.example"}));
        for (const char* host :
             {"192.0.2.7:8980", "[2001:db8::1]:8980", "127.0.0.1:8980", "ops.example"})
            BOOST_TEST(statusOf(access, get(host)) == 200U, host);
        for (const char* host : {"192.0.2.7", "192.0.2.7:80", "evil.example:8980", "[2001:db8::1]"})
            BOOST_TEST(statusOf(access, get(host)) == 421U, host);
    }
}

BOOST_AUTO_TEST_CASE(o56_without_actions_each_post_is_refused) {
    Access::Rules rules = rulesOf("127.0.0.1");
    rules.allowsActions = false;
    Access access(rules);
    const std::optional<Response> response = access.refusal(post(), "/run", kNow);
    BOOST_REQUIRE(response);
    BOOST_TEST(response->status == 405U);
    BOOST_TEST(fieldIn(*response, "Allow") == "GET, HEAD");
    BOOST_TEST(statusOf(access, get(kOwn)) == 200U);
}

BOOST_AUTO_TEST_CASE(o58_a_form_of_another_site_is_refused) {
    Access access(rulesOf("127.0.0.1", {"ops.example"}));
    BOOST_TEST(statusOf(access, post()) == 200U);
    for (const char* site : {"same-origin", "none"})
        BOOST_TEST(statusOf(access, post({{"Sec-Fetch-Site", site}})) == 200U, site);
    for (const char* site : {"cross-site", "same-site", "", "Same-Origin"})
        BOOST_TEST(statusOf(access, post({{"sec-fetch-site", site}})) == 403U, site);
    BOOST_TEST(statusOf(access, post({{"Origin", "http://127.0.0.1:8980"}})) == 200U);
    BOOST_TEST(statusOf(access, post({{"Origin", "https://Ops.example"}}, "ops.example")) == 200U);
    for (const char* origin :
         {"null", "", "http://evil.example", "http://127.0.0.1", "127.0.0.1:8980",
          "http://127.0.0.1:8980.evil.example", "http://localhost:8980"})
        BOOST_TEST(statusOf(access, post({{"Origin", origin}})) == 403U, origin);
    BOOST_TEST(statusOf(access, post({{"Origin", "http://127.0.0.1:8980"}, {"Origin", "null"}})) ==
               403U);
    // To read is no action.
    BOOST_TEST(statusOf(access, get(kOwn, {{"Sec-Fetch-Site", "cross-site"}})) == 200U);
}

BOOST_AUTO_TEST_CASE(o58_a_token_is_compared_as_a_whole) {
    const Access access(rulesOf("127.0.0.1"));
    BOOST_TEST(access.isOurs("secret"));
    for (const char* token : {"", "s", "secre", "secret!", "Secret", "secretsecret", "secreT"})
        BOOST_TEST(!access.isOurs(token), token);
    BOOST_TEST(!isSame("", ""));
    BOOST_TEST(!isSame("", "x"));
}

BOOST_AUTO_TEST_CASE(o58_a_token_has_256_random_bits) {
    std::set<std::string> tokens;
    for (int i = 0; i < 100; ++i) tokens.insert(cluster_tool::randomToken());
    BOOST_TEST(tokens.size() == 100U);
    for (const std::string& token : tokens) {
        BOOST_TEST(token.size() == 64U);
        BOOST_TEST(token.find_first_not_of("0123456789abcdef") == std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(o58_a_secret_is_long_and_plain) {
    using cluster_tool::wrongInSecret;
    BOOST_TEST(wrongInSecret(std::string(32, 'x')) == "");
    BOOST_TEST(wrongInSecret("aZ09+/=_-aZ09+/=_-aZ09+/=_-aZ09+/=_-") == "");
    for (const std::string& secret : {std::string(), std::string(31, 'x'), std::string(1001, 'x'),
                                      std::string(40, ' '), std::string(40, '"')})
        BOOST_TEST(wrongInSecret(secret).rfind("holds no secret: expected one line of 32", 0) ==
                   0U);
}

BOOST_AUTO_TEST_CASE(o60_each_request_but_that_for_health_needs_the_credentials) {
    Access::Rules rules = rulesOf("127.0.0.1");
    rules.credentials = "ann:pass:word";
    Access access(rules);
    const std::optional<Response> response = access.refusal(get(kOwn), "/", kNow);
    BOOST_REQUIRE(response);
    BOOST_TEST(response->status == 401U);
    BOOST_TEST(fieldIn(*response, "WWW-Authenticate") ==
               "Basic realm=\"jtimer-cluster\", charset=\"UTF-8\"");
    const auto with = [&](const std::string& text, int second) {
        return statusOf(access, get(kOwn, {{"Authorization", text}}),
                        kNow + std::chrono::seconds(second));
    };
    BOOST_TEST(with("Basic YW5uOnBhc3M6d29yZA==", 0) == 200U);
    BOOST_TEST(with("basic YW5uOnBhc3M6d29yZA==", 0) == 200U);
    int second = 0;
    for (const char* text :
         {"", "Basic", "Basic ", "Basic YW5uOnBhc3M6d29yZA",
          "YW5uOnBhc3M6d29yZA==", "Bearer YW5uOnBhc3M6d29yZA==", "Basic YW5uOnBhc3M6d29yZE=="})
        BOOST_TEST(with(text, second += 10) == 401U, text);
    BOOST_TEST(statusOf(access, get(kOwn), kNow, "/healthz") == 200U);
    BOOST_TEST(statusOf(access, get(kOwn), kNow, "/metrics") == 401U);
    BOOST_TEST(statusOf(access, post()) == 401U);
    BOOST_TEST(statusOf(access, get("evil.example"), kNow, "/healthz") == 421U);
}

BOOST_AUTO_TEST_CASE(o60_five_wrong_passwords_a_second_are_looked_at) {
    Access::Rules rules = rulesOf("127.0.0.1");
    rules.credentials = "ann:x";
    Access access(rules);
    const Request wrong = get(kOwn, {{"Authorization", "Basic x"}});
    const Request right = get(kOwn, {{"Authorization", "Basic YW5uOng="}});
    const auto at = [](int millis) { return kNow + std::chrono::milliseconds(millis); };
    for (int i = 0; i < 5; ++i) BOOST_TEST(statusOf(access, wrong, at(100 * i)) == 401U);
    const std::optional<Response> response = access.refusal(wrong, "/", at(500));
    BOOST_REQUIRE(response);
    BOOST_TEST(response->status == 429U);
    BOOST_TEST(fieldIn(*response, "Retry-After") == "1");
    BOOST_TEST(statusOf(access, right, at(999)) == 429U);
    BOOST_TEST(statusOf(access, get(kOwn), at(999)) == 401U);  // who tells none guesses none
    BOOST_TEST(statusOf(access, right, at(1000)) == 200U);
    BOOST_TEST(statusOf(access, wrong, at(1000)) == 401U);
    BOOST_TEST(statusOf(access, wrong, at(1099)) == 429U);
    BOOST_TEST(statusOf(access, wrong, at(1100)) == 401U);
}

BOOST_AUTO_TEST_CASE(o60_credentials_are_a_line_of_user_and_password) {
    using cluster_tool::wrongInCredentials;
    for (const char* text : {"ann:x", "ann:pass:word", "a b:c d"})
        BOOST_TEST(wrongInCredentials(text) == "", text);
    for (const char* text : {"", "ann", ":x", "ann:", ":", "ann:x\ny"})
        BOOST_TEST(wrongInCredentials(text) ==
                       "holds no credentials: expected one line USER:PASSWORD",
                   text);
}

BOOST_AUTO_TEST_CASE(o60_who_listens_for_others_has_a_host_and_for_actions_credentials) {
    cluster_tool::ServeOptions options;
    options.allowsActions = true;
    for (const char* host : {"127.0.0.1", "127.9.9.9", "localhost", "::1", "0:0::1"}) {
        options.listen.host = host;
        BOOST_TEST(refusalOf(options) == "", host);
    }
    for (const char* host : {"0.0.0.0", "::", "192.0.2.1", "ops.example", "127.evil.example"}) {
        options = {};
        options.listen.host = host;
        const std::string others = "--listen: others than this computer can reach \"" +
                                   http::toText(options.listen) + "\": expected also ";
        BOOST_TEST(refusalOf(options) ==
                   others + "--host NAME, which is what browsers call this server");
        options.hosts = {"ops.example"};
        BOOST_TEST(refusalOf(options) == "");
        options.allowsActions = true;
        BOOST_TEST(refusalOf(options) == others + "--auth FILE, or no --allow-actions");
        options.auth = "file";
        BOOST_TEST(refusalOf(options) == "");
    }
    options.hosts = {"http://ops.example"};
    BOOST_TEST(refusalOf(options) ==
               "--host: \"http://ops.example\" is none: expected NAME or NAME:PORT");
}
