// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// The operations of a Store that pause and resume.

#include "cluster/columns.hpp"
#include "cluster/cron_dues.hpp"
#include "cluster/store.hpp"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace jtimer::cluster::detail {

namespace {

const char* nameOf(Scope scope) { return kScopes[static_cast<int>(scope)]; }

/// Of tasks whose runs are dropped in one transaction.
constexpr std::int64_t kMissedBatch = 1000;

/// Where tasks go on whose runs are dropped. The first due is counted, too.
class NextDues {
  public:
    explicit NextDues(Session& session) : session_(session) {}

    CronDue of(const Result& result, int row) {
        namespace missed = columns::missed;
        if (!result.isNull(row, missed::Next))
            return {result.time(row, missed::Next), result.number(row, missed::Missed)};
        const Key key{result.time(row, missed::Due), result.text(row, missed::Cron),
                      result.text(row, missed::Zone)};
        const auto known = cron_.find(key);
        if (known != cron_.end()) return known->second;
        const Recurrence recurrence{Kind::Cron, 0, MissedRuns::Skip, std::get<1>(key),
                                    std::get<2>(key)};
        CronDue next = nextCronDue(session_, recurrence, std::get<0>(key));
        ++next.missed;
        return cron_[key] = next;
    }

  private:
    using Key = std::tuple<Micros, std::string, std::string>;

    Session& session_;
    std::map<Key, CronDue> cron_;  ///< to ask the server for one takes several statements
};

}  // namespace

std::optional<NodePauses> Store::pausesOf(NodeNumber node, const std::vector<std::string>& names) {
    const Result result = once(statements::pausesOf(), Params().number(node).texts(names));
    if (result.rows() == 0) return {};
    return NodePauses{result.number(0, columns::nodePauses::Number),
                      result.boolean(0, columns::nodePauses::All),
                      result.texts(0, columns::nodePauses::Names)};
}

bool Store::pause(const Target& target, const std::string& by, const std::string& note) {
    if (target.scope_ == Scope::Task) {
        const auto params = Params().text(target.name_).text(target.id_).text(by).text(note);
        return write(statements::pauseTask(), params, Key(target.name_, target.id_)) != 0;
    }
    const auto use = [&] {
        const std::int64_t number = execute(statements::raisePauses(), {}).number(0, 0);
        const auto scope = Params().text(nameOf(target.scope_)).text(target.name_);
        return changeOf(
            execute(statements::writePause(), Params(scope).text(by).text(note).number(number)));
    };
    return write(use, {}) != 0;
}

std::int64_t Store::skipMissed(const Target& target, Key& last, Change& change) {
    namespace missed = columns::missed;
    auto params = Params().text(target.name_).text(target.id_).text(nameOf(target.scope_));
    params.text(last.first).text(last.second).number(kMissedBatch);
    const Result found = execute(statements::missedInPause(target.scope_), params);
    if (found.rows() == 0) return 0;
    NextDues nextDues(*this);
    std::vector<std::string> names;
    std::vector<std::string> ids;
    std::vector<Micros> dues;
    std::vector<std::int64_t> missedRuns;
    for (int row = 0; row < found.rows(); ++row) {
        const CronDue next = nextDues.of(found, row);
        names.push_back(found.text(row, missed::Name));
        ids.push_back(found.text(row, missed::Id));
        dues.push_back(next.due);
        missedRuns.push_back(next.missed);
    }
    last = {names.back(), ids.back()};
    change = changeOf(execute(statements::skipMissed(),
                              Params().texts(names).texts(ids).numbers(dues).numbers(missedRuns)));
    return found.rows();
}

/// If the pause is not there, or ends meanwhile, nothing more is dropped.
bool Store::resume(const Target& target, MissedInPause missed) {
    const bool skips = missed == MissedInPause::Skip;
    if (target.scope_ == Scope::Task) {
        const auto params = Params().text(target.name_).text(target.id_);
        const auto use = [&] {
            const Change resumed = changeOf(execute(statements::resumeTask(), params));
            Key first;
            Change change{};
            if (skips && resumed.value != 0) skipMissed(target, first, change);
            return resumed;
        };
        return write(use, Key(target.name_, target.id_)) != 0;
    }
    Key last;
    for (std::int64_t found = skips ? kMissedBatch : 0; found == kMissedBatch;) {
        Key reached;
        const auto batch = [&] {
            reached = last;
            Change change{};
            found = skipMissed(target, reached, change);
            return change;
        };
        write(batch, {});
        last = reached;
    }
    const auto use = [&] {
        const std::int64_t number = execute(statements::raisePauses(), {}).number(0, 0);
        return changeOf(
            execute(statements::deletePause(),
                    Params().text(nameOf(target.scope_)).text(target.name_).number(number)));
    };
    return write(use, {}) != 0;
}

std::vector<Pause> Store::pauses() {
    namespace pause = columns::pause;
    const Result result = read(statements::pauses(), {});
    std::vector<Pause> pauses;
    for (int row = 0; row < result.rows(); ++row) {
        Pause& each = pauses.emplace_back();
        each.scope = fromName(kScopes, result.text(row, pause::Scope), Scope::Everything);
        each.name = result.text(row, pause::Name);
        each.since = toDate(result.time(row, pause::Since));
        each.by = result.text(row, pause::By);
        each.note = result.text(row, pause::Note);
    }
    return pauses;
}

}  // namespace jtimer::cluster::detail
