// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "confirm.hpp"

#include "json_text.hpp"
#include "status.hpp"
#include "text.hpp"

namespace cluster_tool {

std::optional<int> unlessConfirmed(Session& session, const Selected& selected,
                                   const std::string& verb) {
    const auto preview = [&](Width width) {
        return previewText(selected.count, selected.first, width);
    };
    if (session.options.dryRun) {
        session.console.print(session.options.json ? changedJson(0, selected.count)
                                                   : preview(Console::width()));
        return kDone;
    }
    if (session.options.yes) return {};
    const std::string question = verb + ' ' + tasksText(selected.count) + '?';
    if (!Console::canAsk()) {
        Console::tell(question + " Nothing has changed: without a terminal, --yes confirms it");
        return kNotConfirmed;
    }
    if (Console::ask(preview(Console::widthOfQuestions()) + question)) return {};
    Console::tell("nothing has changed");
    return kNotConfirmed;
}

}  // namespace cluster_tool
