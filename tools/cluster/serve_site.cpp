// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "serve_site.hpp"

#include "serve_metrics.hpp"

#include <jtimer/clock.hpp>
#include <jtimer/cluster/exceptions.hpp>

#include <chrono>
#include <exception>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

namespace cluster_tool {

namespace {

using jtimer::Date;
using jtimer::cluster::Filter;
using jtimer::cluster::HistoryFilter;
using jtimer::cluster::Order;
using jtimer::cluster::Scope;
using jtimer::cluster::State;

Date timeNow() { return jtimer::WallClock().now(); }

/// A page shows nothing but what this server sends, and in no other's frame.
http::Response secured(http::Response response) {
    for (const auto& [name, value] :
         {http::Field{"Content-Security-Policy",
                      "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; "
                      "frame-ancestors 'none'; base-uri 'none'"},
          http::Field{"X-Content-Type-Options", "nosniff"},
          http::Field{"Cache-Control", "no-store"}, http::Field{"Referrer-Policy", "same-origin"}})
        response.fields.emplace_back(name, value);
    return response;
}

http::Response seeOther(const std::string& location) {
    http::Response response{303, ""};
    response.fields.emplace_back("Location", location);
    return response;
}

Filter inState(State state, std::size_t limit) {
    Filter filter;
    filter.state = state;
    filter.limit = limit;
    return filter;
}

}  // namespace

/// What a request for a page says, and what is learnt while it is answered.
struct Site::Question {
    const http::Request& request;
    http::Form form;
    page::Context context;
    Visit visit{};

    http::Response respond(unsigned status, std::string html) const {
        http::Response response{status, std::move(html), "text/html; charset=utf-8"};
        if (context.refresh) response.fields.emplace_back("Refresh", page::refreshField(context));
        return response;
    }

    /// With values that have been read.
    template <class Values>
    http::Response respond(std::string (*render)(const Values&, const page::Context&),
                           const Values& values) {
        settle();
        return respond(context.awaySince ? 503 : 200, render(values, context));
    }

    /// After all has been read.
    void settle() {
        context.now = timeNow();
        context.read = visit.oldest.value_or(context.now);
        context.awaySince = visit.awaySince;
    }
};

Site::Site(Settings settings, Reader& reader)
    : settings_(std::move(settings)), access_(settings_.access), reader_(reader) {}

http::Response Site::respond(const http::Request& request) {
    const std::string path = request.target.substr(0, request.target.find('?'));
    if (std::optional<http::Response> refusal =
            access_.refusal(request, path, std::chrono::steady_clock::now()))
        return secured(*std::move(refusal));
    return secured(page(request, path));
}

http::Response Site::page(const http::Request& request, const std::string& path) {
    const std::string query =
        path.size() == request.target.size() ? "" : request.target.substr(path.size() + 1);
    if (request.method != "POST") {
        if (path == "/style.css") return {200, page::styleSheet(), "text/css; charset=utf-8"};
        if (path == "/icon.svg") return {200, page::icon(), "image/svg+xml"};
        if (path == "/metrics") return metrics();
        if (path == "/healthz") return health(query);
    }
    Question question{request, {}, {}};
    page::Context& context = question.context;
    context.cluster = settings_.cluster;
    context.actions = settings_.access.allowsActions;
    context.token = settings_.access.token;
    context.payloads = settings_.showsPayloads;
    context.path = path;
    context.query = http::without(query, kPassingParameters);
    context.now = context.read = timeNow();
    const bool isAction = request.method == "POST";
    const std::optional<http::Form> form = http::parseForm(isAction ? request.body : query);
    if (!form) return message(question, 400, "The fields cannot be read.");
    question.form = *form;
    try {
        return isAction ? pageAfter(question) : pageOf(question);
    } catch (const std::invalid_argument& e) {
        return message(question, 400, e.what());
    }
}

http::Response Site::pageOf(Question& question) {
    static const std::map<std::string, http::Response (Site::*)(Question&)> kPages{
        {"/", &Site::overview},       {"/tasks", &Site::tasks},    {"/names", &Site::names},
        {"/nodes", &Site::nodes},     {"/task", &Site::task},      {"/name", &Site::name},
        {"/history", &Site::history}, {"/confirm", &Site::confirm}};
    const auto found = kPages.find(question.context.path);
    if (found == kPages.end()) return message(question, 404, "");
    question.context.refresh = refreshOf(question.form);
    question.context.done = doneOf(question.form);
    return (this->*found->second)(question);
}

http::Response Site::message(const Question& question, unsigned status, const std::string& text) {
    page::Context context = question.context;
    context.refresh.reset();
    return {status, page::message({status, text}, context), "text/html; charset=utf-8"};
}

http::Response Site::overview(Question& question) {
    Visit& visit = question.visit;
    Filter next = inState(State::Scheduled, page::kFew);
    next.order = Order::Due;
    HistoryFilter past;
    past.limit = page::kChartedRuns;
    // In this order, as the last ones are left out if it takes too long.
    auto backlog = reader_.backlog(visit);
    auto nodes = reader_.nodes(visit);
    auto pauses = reader_.pauses(visit);
    auto dead = reader_.tasks(visit, inState(State::Dead, page::kFew + 1));
    auto running = reader_.tasks(visit, inState(State::Running, page::kFew + 1));
    auto soon = reader_.tasks(visit, next);
    auto names = reader_.names(visit);
    auto history = reader_.history(visit, past);
    return question.respond<page::Overview>(
        page::overview, {std::move(backlog), std::move(names), std::move(nodes), std::move(pauses),
                         std::move(dead), std::move(running), std::move(soon), std::move(history)});
}

http::Response Site::tasks(Question& question) {
    const Filter filter = filterOf(question.form, question.context.now);
    return question.respond<page::TasksPage>(page::tasks,
                                             {filter, reader_.tasks(question.visit, filter)});
}

http::Response Site::names(Question& question) {
    Visit& visit = question.visit;
    return question.respond<page::NamesPage>(page::names,
                                             {fieldOf(question.form, "after"), reader_.names(visit),
                                              reader_.nodes(visit), reader_.pauses(visit)});
}

http::Response Site::nodes(Question& question) {
    Visit& visit = question.visit;
    return question.respond<page::NodesPage>(
        page::nodes,
        {numberIn(question.form, "after"), reader_.nodes(visit), reader_.pauses(visit)});
}

http::Response Site::history(Question& question) {
    const HistoryFilter filter = historyFilterOf(question.form);
    page::HistoryPage values{filter, reader_.history(question.visit, filter), {}};
    if (filter.before == 0) {
        HistoryFilter charted = filter;
        charted.limit = page::kChartedRuns;
        values.charted = reader_.history(question.visit, charted);
    }
    return question.respond<page::HistoryPage>(page::history, values);
}

http::Response Site::task(Question& question) {
    Visit& visit = question.visit;
    const std::string name = keyIn(question.form, "name"), id = keyIn(question.form, "id");
    auto task = reader_.task(visit, name, id);
    if (!task.value || !*task.value) {
        question.settle();
        return task.value ? message(question, 404, "There is no such task.")
                          : message(question, 503, task.why);
    }
    HistoryFilter past;
    past.name = name;
    past.id = id;
    past.limit = page::kRows;
    return question.respond<page::TaskPage>(
        page::task, {**std::move(task.value), reader_.name(visit, name), reader_.nodes(visit),
                     reader_.pauses(visit), reader_.history(visit, past)});
}

http::Response Site::name(Question& question) {
    Visit& visit = question.visit;
    const std::string name = keyIn(question.form, "name");
    const auto tasks = [&](State state, std::size_t limit) {
        Filter filter = inState(state, limit);
        filter.name = name;
        return reader_.tasks(visit, filter);
    };
    HistoryFilter past;
    past.name = name;
    past.limit = page::kChartedRuns;
    return question.respond<page::NamePage>(
        page::name, {name, reader_.name(visit, name), reader_.nodes(visit), reader_.pauses(visit),
                     tasks(State::Dead, page::kFew + 1), tasks(State::Running, page::kFew + 1),
                     tasks(State::Scheduled, page::kFew), reader_.history(visit, past)});
}

http::Response Site::confirm(Question& question) {
    if (!settings_.access.allowsActions)
        return message(question, 404, "There are no actions without --allow-actions.");
    const std::optional<page::Action> action = page::actionOf(fieldOf(question.form, "do"));
    if (!action || *action == page::Action::Run || *action == page::Action::Reschedule)
        return message(question, 404, "There is no such action to confirm.");
    page::Confirmation values;
    values.action = *action;
    values.subject = instructionOf(*action, question.form, question.context.now).subject;
    Filter filter = values.subject.filter;
    if (values.subject.scope == Scope::Name) filter.name = values.subject.name;
    if (values.subject.scope == Scope::Node) filter.runningOn = values.subject.name;
    const auto missing = [&](const std::string& why) {
        question.settle();
        return message(question, 503, why);
    };
    if (values.subject.scope == Scope::Task) {
        const auto task = reader_.task(question.visit, values.subject.name, values.subject.id);
        if (!task.value) return missing(task.why);
        if (!*task.value) return message(question, 404, "There is no such task.");
        values.count = 1;
        values.first = {**task.value};
    } else {
        page::Part<Counted> counted = reader_.counted(question.visit, filter);
        if (!counted.value) return missing(counted.why);
        values.count = counted.value->count;
        values.first = std::move(counted.value->first);
    }
    return question.respond<page::Confirmation>(page::confirmation, values);
}

http::Response Site::metrics() {
    Visit visit;
    MetricsValues values{reader_.names(visit),
                         reader_.nodes(visit),
                         reader_.pauses(visit),
                         reader_.runningSince(visit),
                         false,
                         timeNow()};
    values.isUp = !visit.awaySince;
    return {200, metricsOf(values), "text/plain; version=0.0.4; charset=utf-8"};
}

http::Response Site::health(const std::string& query) {
    if (const auto form = http::parseForm(query); form && form->count("process") != 0)
        return {200, "ok\n"};
    Visit visit;
    const page::Part<Reader::Pauses> answer = reader_.pauses(visit);
    if (answer.value && !visit.awaySince) return {200, "ok\n"};
    return {503, (visit.awaySince ? visit.whyAway : answer.why) + '\n'};
}

/// What has been done, and where that is told.
http::Response Site::pageAfter(Question& question) {
    const std::string& path = question.context.path;
    const std::optional<page::Action> action =
        path.rfind('/', 0) == 0 ? page::actionOf(path.substr(1)) : std::nullopt;
    if (!action) return message(question, 404, "");
    if (!access_.isOurs(fieldOf(question.form, "token")))
        return message(question, 403,
                       "The form is not of this server, or of before its last start. "
                       "Go back, load its page again, and try once more.");
    const Instruction instruction = instructionOf(*action, question.form, question.context.now);
    if (needsConfirmation(instruction) && !instruction.isConfirmed)
        return seeOther(page::confirmationOf(instruction.action, instruction.subject));
    try {
        const page::Done done = settings_.act(question.request, instruction);
        reader_.forget();
        return seeOther(page::locationAfter(done));
    } catch (const jtimer::cluster::OutcomeUnknownException& e) {
        return message(question, 503, std::string("It may have been done, or not: ") + e.what());
    } catch (const jtimer::cluster::DatabaseException& e) {
        return message(question, 503, e.what());
    } catch (const jtimer::cluster::SchemaException& e) {
        return message(question, 503, e.what());
    }
}

}  // namespace cluster_tool
