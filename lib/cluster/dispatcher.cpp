// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/dispatcher.hpp"

#include "cluster/assert_held.hpp"
#include "cluster/in_handler.hpp"
#include "cluster/reports.hpp"
#include "cluster/time_out.hpp"
#include "sync/assert.hpp"

#include <boost/chrono/duration.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <stdexcept>
#include <utility>

namespace jtimer::cluster::detail {

namespace {

/// At least one claim in this time starts at the oldest task; in nanoseconds.
constexpr std::int64_t kFullScanInterval = 1'000'000'000;

/// For which a free slot may wait for others while there is a backlog.
constexpr boost::chrono::milliseconds kGatherTime(1);

/// After a claim whose answer was lost, its statement may still be in progress on the server.
constexpr Micros kSecondRelease = 2'000'000;

}  // namespace

/// Hands a run to an executor. If that drops the function without calling it, the run has failed.
class Dispatcher::Ticket {
  public:
    Ticket(Dispatcher& dispatcher, std::shared_ptr<RunState> run)
        : dispatcher_(dispatcher), run_(std::move(run)) {}
    ~Ticket() {
        if (!used_.exchange(true)) dispatcher_.failRun(*run_, "The executor did not run the task.");
    }
    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;

    void use() {
        if (!used_.exchange(true)) dispatcher_.execute(run_);
    }

  private:
    Dispatcher& dispatcher_;  ///< not touched once `used_`, for the executor may outlive it
    std::shared_ptr<RunState> run_;
    std::atomic<bool> used_{false};
};

Dispatcher::Dispatcher(Environment& environment, Calls calls)
    : environment_(environment), calls_(std::move(calls)),
      pollInterval_(toMicros(environment.options.pollInterval)), turns_(environment.registry),
      limits_(environment.registry),
      names_(pollInterval_), wakes_{Alarm(*environment.timer, [this] { want(Limited::Not); }),
                                    Alarm(*environment.timer, [this] { want(Limited::InNode); }),
                                    Alarm(*environment.timer,
                                          [this] { want(Limited::InCluster); })},
      secondRelease_(*environment.timer, [this] { releaseLostClaims(); }),
      limit_(static_cast<std::size_t>(environment.options.concurrency),
             toMicros(environment.options.operationTimeout)),
      thread_(environment, environment.options.conninfo, *this), store_(thread_.store()) {
    for (const auto& [name, registered] : environment.registry)
        names_.add(name, limitedBy(registered.options));
}

void Dispatcher::lookForTasks() {
    const Lock lock(mutex_);
    turns_.wantAll();
    condition_.notify_all();
}

void Dispatcher::want(Limited names) {
    const Lock lock(mutex_);
    turns_.want(names);
    condition_.notify_all();
}

void Dispatcher::releaseLostClaims() {
    const Lock lock(mutex_);
    releaseWanted_ = true;
}

void Dispatcher::readPauses() {
    const Lock lock(mutex_);
    pausesChanged_ = true;
    turns_.wantAll();
    condition_.notify_all();
}

bool Dispatcher::waitForWork() {
    Lock lock(mutex_);
    // What makes one of the last two true again also calls lookForTasks().
    while (!stopping_ && (!turns_.anyWanted() || thread_.paused() ||
                          occupied_ >= environment_.options.concurrency ||
                          calls_.cannotWriteEnds() || calls_.lease()->lost()))
        condition_.wait(lock);
    if ((cursor_.has_value() || full_) && occupied_ > 0) gatherSlots(lock);
    return !stopping_;
}

void Dispatcher::work() {
    Lock lock(mutex_);
    const int idleSlots = environment_.options.concurrency - occupied_;
    const bool releases = std::exchange(releaseWanted_, false);
    if (std::exchange(pausesChanged_, false)) names_.forget();
    const Limited names = turns_.take();
    lock.unlock();
    if (releases) release();
    if (!tooLarge_.empty()) sayWhatIsTooLarge();
    claim(names, idleSlots);
}

void Dispatcher::finish() {
    const Lock lock(mutex_);
    claimsOver_ = true;
    checkDrained(lock);
}

/// Of a backlog: short runs end together, and a claim for one of their slots costs as much as one
/// for all.
void Dispatcher::gatherSlots(Lock& lock) {
    assertHeld(lock, mutex_);
    gathering_ = true;
    condition_.wait_for(lock, kGatherTime, [this] { return stopping_ || occupied_ == 0; });
    gathering_ = false;
}

/// Where other names are open than before, the tasks that have been due longest may be theirs.
/// \returns false if the node's row is gone
bool Dispatcher::learnPauses(const Lease& lease, std::int64_t now) {
    if (names_.areKnown(lease.node(), now)) return true;
    const auto pauses = store_.pausesOf(lease.node(), names_.registered());
    if (pauses && names_.read(lease.node(), *pauses, now)) cursor_.reset();
    return pauses.has_value();
}

void Dispatcher::claim(Limited names, int idleSlots) {
    if (names_.registered().empty()) return;
    const int limit = std::min(idleSlots, static_cast<int>(limit_.get()));
    const std::shared_ptr<const Lease> lease = calls_.lease();
    if (!learnPauses(*lease, environment_.clock->nanos())) {
        calls_.renewNow();  // which looks for tasks as soon as there is a new number
        return wake(names).setIn(pollInterval_);
    }
    if (names == Limited::Not) return claimUnlimited(limit, lease);
    claimLimited(names, limit, lease);
}

void Dispatcher::claimUnlimited(int limit, const std::shared_ptr<const Lease>& lease) {
    const std::int64_t sentAt = environment_.clock->nanos();
    if (sentAt - fullScanAt_ >= kFullScanInterval) cursor_.reset();
    const bool withCursor = cursor_.has_value();
    if (!withCursor) fullScanAt_ = sentAt;
    const std::vector<std::string>& names = names_.get(Limited::Not);
    std::optional<Claim> result = ask(names, limit, [&] {
        const Claimer claimer = names_.claimer();
        return byName_ && !withCursor ? store_.claimByName(claimer, names, limit, pollInterval_)
                                      : store_.claim(claimer, names, limit, cursor_, pollInterval_);
    });
    if (!result.has_value()) return;
    handle(*result, limit, withCursor, sentAt);
    beginAll(*result, lease);
}

/// \param names those that are asked for
/// \returns nothing if the node's row is gone, or has other pauses
std::optional<Claim> Dispatcher::ask(const std::vector<std::string>& names, int limit,
                                     const std::function<Claim()>& send) {
    const std::int64_t sentAt = environment_.clock->nanos();
    const auto elapsed = [&] { return (environment_.clock->nanos() - sentAt) / 1000; };
    environment_.counters.add(&Stats::polls);
    try {
        Claim claim = send();
        limit_.passed(claim.tasks.size(), elapsed());
        if (!claim.nodeGone) return claim;
    } catch (const DatabaseException& exception) {
        if (isTimeOut(exception, elapsed(), toMicros(environment_.options.operationTimeout)))
            timedOut(names, limit);
        throw;
    }
    names_.forget();
    calls_.renewNow();
    lookForTasks();
    return {};
}

/// The first time in a row, it may have been the connection that had become silent.
void Dispatcher::timedOut(const std::vector<std::string>& names, int limit) {
    limit_.timedOut(static_cast<std::size_t>(limit));
    if (limit == 1 && thread_.failures() > 0 && !environment_.slowLine.isSaid()) tooLarge_ = names;
}

/// The task that a claim of one could not get is still, or again, the first.
void Dispatcher::sayWhatIsTooLarge() {
    const std::vector<std::string> names = std::exchange(tooLarge_, {});
    if (const std::optional<FirstDue> first = store_.firstDue(names))
        environment_.slowLine.timedOut("task", first->name, first->id, first->payloadSize);
}

/// Decides when to claim next. The server has told the time to the next due when the claim arrived,
/// and the next one takes as long to arrive.
void Dispatcher::handle(const Claim& claim, int limit, bool withCursor, std::int64_t sentAt) {
    const bool full = claim.tasks.size() >= static_cast<std::size_t>(limit);
    cursor_ = full ? std::optional<Micros>(claim.lastWake) : std::nullopt;
    // Where others hold all that it has seen, and may do so for long, a look by time goes past
    // them.
    const bool blocked = claim.more && claim.tasks.empty();
    if (!withCursor) byName_ = claim.othersFirst && !blocked;
    if (full || withCursor || claim.more) return want(Limited::Not);
    wake(Limited::Not).setIn(nextLook(claim, sentAt));
}

/// In how long.
Micros Dispatcher::nextLook(const Claim& claim, std::int64_t sentAt) const {
    const Micros elapsed = (environment_.clock->nanos() - sentAt) / 1000;
    const Micros next = claim.nextWakeIn ? *claim.nextWakeIn - elapsed : pollInterval_;
    return std::clamp<Micros>(next, 0, pollInterval_);
}

std::vector<Token> Dispatcher::tokensInHand(const Lock& lock) const {
    assertHeld(lock, mutex_);
    std::vector<Token> tokens;
    for (const auto& entry : inHand_) tokens.push_back(entry.first);
    return tokens;
}

void Dispatcher::release() {
    std::vector<Token> known;
    {
        const Lock lock(mutex_);
        known = tokensInHand(lock);
    }
    try {
        store_.release(calls_.lease()->node(), known);
    } catch (...) {
        releaseLostClaims();
        throw;
    }
}

void Dispatcher::beginAll(Claim& claim, const std::shared_ptr<const Lease>& lease) {
    environment_.counters.add(&Stats::claimed, claim.tasks.size());
    for (ClaimedTask& task : claim.tasks) begin(std::move(task), lease);
}

void Dispatcher::begin(ClaimedTask task, const std::shared_ptr<const Lease>& lease) {
    const Token token = task.token;
    const auto run = std::make_shared<RunState>(environment_, stopping_, std::move(task), lease);
    std::optional<PendingEnd> refusal = run->refusal();
    {
        const Lock lock(mutex_);
        InHand inHand;
        inHand.run = run;
        inHand.occupiesSlot = !refusal.has_value();
        if (inHand.occupiesSlot) inHand.alarm = setAlarm(*run);
        inHand_[token] = std::move(inHand);
        if (!refusal.has_value()) {
            ++occupied_;
            limits_.occupies(run->task().name);
        }
    }
    if (refusal.has_value()) return calls_.runEnded(std::move(*refusal));
    handOver(run);
}

void Dispatcher::handOver(const std::shared_ptr<RunState>& run) {
    const auto ticket = std::make_shared<Ticket>(*this, run);
    try {
        if (environment_.options.executor) {
            environment_.options.executor([ticket] { ticket->use(); });
        } else {
            runners_.run([ticket] { ticket->use(); });
        }
    } catch (...) {  // NOLINT(bugprone-empty-catch): then the ticket ends the run
    }
}

void Dispatcher::execute(const std::shared_ptr<RunState>& run) {
    if (run->lost()) return notBegun(run->task().token);
    const ClaimedTask& task = run->task();
    environment_.counters.add(&Stats::missed, task.missedRuns);
    if (task.attempt == 1)
        environment_.counters.late(
            std::chrono::microseconds(std::max<Micros>(0, task.claimedAt - task.due)));
    std::optional<PendingEnd> end;
    try {
        const InHandler inHandler(environment_);
        end = run->execute();
    } catch (...) {  // the unwinding by pthread_exit, which must go on
        failRun(*run, "The handler ended its thread.");
        throw;
    }
    endRun(std::move(*end));
}

void Dispatcher::failRun(RunState& run, const std::string& failure) {
    report(failure);
    endRun(run.fail(failure));
}

void Dispatcher::report(const std::string& failure) {
    if (!environment_.options.uncaughtExceptionHandler) return;
    try {
        runners_.run([this, failure] {
            const InHandler inHandler(environment_);
            detail::report(environment_.options,
                           std::make_exception_ptr(std::runtime_error(failure)));
        });
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): no thread, or memory for it
    }
}

/// Has the end written, and frees the slot. That comes last, and the mutex is then not touched any
/// more: as soon as the last slot is free this object may be destroyed, while an executor's thread
/// is still here.
void Dispatcher::endRun(PendingEnd end) {
    const Token token = end.task->token;
    if (!isLate(end)) calls_.runEnded(std::move(end));
    const Lock lock(mutex_);
    JTIMER_ASSERT(occupied_ > 0);
    --occupied_;
    const auto found = inHand_.find(token);  // unless the end is written already
    if (found != inHand_.end()) freeSlot(lock, found->second);
    if (turns_.anyWanted() && (!gathering_ || occupied_ == 0)) condition_.notify_all();
    checkDrained(lock);
}

/// Of a lease that was lost between the claim and the run. If it is renewed, the task is freed as
/// one of a claim whose answer was lost; if not, another node has freed it. As in endRun(), the
/// slot comes last.
void Dispatcher::notBegun(Token token) {
    environment_.counters.add(&Stats::notBegun);
    std::shared_ptr<RunState> run;  // destroyed without the lock
    const Lock lock(mutex_);
    const auto found = inHand_.find(token);
    JTIMER_ASSERT(found != inHand_.end() && occupied_ > 0);
    freeSlot(lock, found->second);
    if (!found->second.failing) {  // or endWritten() follows
        run = std::move(found->second.run);
        inHand_.erase(found);
    }
    releaseWanted_ = true;
    turns_.wantAll();
    --occupied_;
    condition_.notify_all();
    checkDrained(lock);
}

void Dispatcher::endWritten(Token token) {
    std::shared_ptr<RunState> run;  // destroyed without the lock
    std::optional<PendingEnd> late;
    {
        const Lock lock(mutex_);
        const auto found = inHand_.find(token);
        if (found == inHand_.end()) return;  // an end that is told twice, as memory was short
        InHand& inHand = found->second;
        if (limits_.endWritten(inHand.run->task().name)) {
            turns_.want(Limited::InCluster);
            condition_.notify_all();
        }
        const bool wasFailing = std::exchange(inHand.failing, false);
        late = std::exchange(inHand.late, std::nullopt);
        const bool handlerRuns = wasFailing && inHand.occupiesSlot && !late.has_value();
        if (handlerRuns) return;
        if (!late.has_value()) {
            freeSlot(lock, inHand);
            run = std::move(inHand.run);
            inHand_.erase(found);
            checkDrained(lock);
        }
    }
    if (late.has_value()) calls_.runEnded(std::move(*late));
}

void Dispatcher::pausing(Micros pause) {
    releaseLostClaims();
    cursor_.reset();
    secondRelease_.setIn(pause + kSecondRelease);
}

void Dispatcher::stop() {
    const Lock lock(mutex_);
    stopping_ = true;
    condition_.notify_all();
    checkDrained(lock);
}

bool Dispatcher::isDrained(const Lock& lock) const {
    assertHeld(lock, mutex_);
    return stopping_ && claimsOver_ && occupied_ == 0 && inHand_.empty();
}

void Dispatcher::checkDrained(const Lock& lock) {
    if (!isDrained(lock)) return;
    calls_.drained();
    condition_.notify_all();
}

bool Dispatcher::waitUntilDrained(Micros wait) {
    Lock lock(mutex_);
    return condition_.wait_for(lock, boost::chrono::microseconds(wait),
                               [&] { return isDrained(lock); });
}

void Dispatcher::countRuns(Stats& stats) const {
    const Lock lock(mutex_);
    const std::int64_t now = environment_.clock->nanos();
    stats.abandonedRunning = abandonedRunning(lock);
    for (const auto& entry : inHand_) {
        if (!entry.second.occupiesSlot) continue;
        ++stats.running;
        stats.oldestRun = std::max(
            stats.oldestRun, std::chrono::nanoseconds(now - entry.second.run->limit().begunAt()));
    }
}

std::vector<std::pair<std::string, std::string>> Dispatcher::unfinished() const {
    const Lock lock(mutex_);
    std::vector<std::pair<std::string, std::string>> tasks;
    tasks.reserve(inHand_.size());
    for (const auto& entry : inHand_) {
        const ClaimedTask& task = entry.second.run->task();
        tasks.emplace_back(task.name, task.id);
    }
    return tasks;
}

std::string Dispatcher::runningTasks() const {
    std::string tasks;
    for (const auto& [name, id] : unfinished()) {
        tasks += tasks.empty() ? "\"" : ", \"";
        tasks += name;
        tasks += "\" \"";
        tasks += id;
        tasks += '"';
    }
    return tasks;
}

}  // namespace jtimer::cluster::detail
