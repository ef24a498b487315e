// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "frame.hpp"

#include "actions.hpp"
#include "html.hpp"
#include "times.hpp"

#include <algorithm>
#include <cstddef>

namespace page {

namespace {

struct Place {
    const char *path, *title, *reference;
};

constexpr Place kPlaces[] = {{"/", "Overview", "./"},
                             {"/tasks", "Tasks", "tasks"},
                             {"/names", "Names", "names"},
                             {"/nodes", "Nodes", "nodes"},
                             {"/history", "History", "history"}};

/// From the folder of a page that there is not to that of all others.
std::string upFrom(const std::string& path) {
    const auto slashes = std::count(path.begin(), path.end(), '/');
    std::string up;
    for (auto i = slashes; i > 1; --i) up += "../";
    return up;
}

std::string navigation(const Context& context) {
    const std::string up = upFrom(context.path);
    std::string html = "<nav aria-label=Pages><ul>\n";
    for (const Place& place : kPlaces) {
        const bool isHere = context.path == place.path;
        html += "<li><a href=\"" + up + place.reference + '"';
        html += isHere ? " aria-current=page>" : ">";
        html += std::string(place.title) + "</a>\n";
    }
    return html + "</ul></nav>\n";
}

std::string refreshReference(const Context& context, int period) {
    std::string reference = "?" + context.query;
    if (period > 0)
        reference += (context.query.empty() ? "refresh=" : "&refresh=") + std::to_string(period);
    return reference;
}

std::string refreshLink(const Context& context, int period) {
    const std::string words = period == 0 ? "off" : std::to_string(period) + " s";
    std::string html = "<a href=\"" + escaped(refreshReference(context, period)) + '"';
    if (context.refresh.value_or(0) == period) html += " aria-current=true";
    return html + '>' + words + "</a>\n";
}

std::string refreshLinks(const Context& context) {
    std::string html =
        "<p class=refresh>As of " + timeOfDay(context.read) +
        ". <span role=group aria-label=\"Refresh this page\">Refresh: " + refreshLink(context, 0);
    for (const int period : kRefreshes) html += refreshLink(context, period);
    return html + "</span></p>\n";
}

std::string notices(const Context& context) {
    std::string html;
    if (context.awaySince)
        html += "<p class=\"notice away\" role=alert><strong>The database does not answer</strong>"
                " since " +
                exact(*context.awaySince, context.now) + ". What follows was read " +
                relative(context.read, context.now) + ".</p>\n";
    if (context.done) {
        const bool isChanged =
            context.done->result == Result::Changed || context.done->action == Action::Cancel;
        html += "<p class=\"notice " + std::string(isChanged ? "done" : "undone") +
                "\" role=status>" + doneHtml(*context.done) + "</p>\n";
    }
    return html;
}

}  // namespace

std::string missingHtml(const std::string& why) {
    return "<p class=missing>" + escaped(why) + "</p>\n";
}

std::string refreshField(const Context& context) {
    std::string field = std::to_string(context.refresh.value_or(0)) + "; url=";
    for (const char c : refreshReference(context, context.refresh.value_or(0))) {
        const bool isVisible = c > ' ' && c < '\x7f';
        if (isVisible) field += c;
    }
    return field;
}

std::string document(const Context& context, std::string_view heading, std::string_view about,
                     const std::string& html, Refreshable refreshable) {
    const std::string up = upFrom(context.path);
    std::string title = escaped(heading);
    if (!about.empty()) title += ' ' + escaped(about);
    std::string h1 = escaped(heading);
    if (!about.empty()) h1 += ' ' + bdi(about);
    return "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n<title>" + title +
           " - jtimer-cluster</title>\n"
           "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
           "<meta name=color-scheme content=\"light dark\">\n"
           "<link rel=stylesheet href=\"" +
           up +
           "style.css\">\n"
           "<link rel=icon type=image/svg+xml href=\"" +
           up +
           "icon.svg\">\n</head>\n<body>\n"
           "<a class=skip href=\"#main\">Skip to the content</a>\n"
           "<header>\n<p class=brand><strong>jtimer-cluster</strong> " +
           bdi(context.cluster) + "</p>\n" + navigation(context) +
           "</header>\n<main id=main tabindex=-1>\n" + "<div class=top><h1>" + h1 + "</h1>\n" +
           (refreshable == Refreshable::Yes ? refreshLinks(context) : "") + "</div>\n" +
           notices(context) + html + "</main>\n<footer><p>" +
           (context.actions ? "Actions are allowed." : "Read-only: actions are not allowed.") +
           " <a href=\"" + up +
           "metrics\">Metrics</a> for Prometheus.</p></footer>\n</body>\n</html>\n";
}

}  // namespace page
