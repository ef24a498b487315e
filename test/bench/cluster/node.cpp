// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "node.hpp"

#include "database.hpp"

#include <jtimer/cluster/migrate.hpp>

#include <atomic>
#include <chrono>
#include <thread>

namespace bench {

using namespace std::chrono_literals;
using jtimer::cluster::NewTask;
using jtimer::cluster::Run;
using jtimer::cluster::Schedule;
using jtimer::cluster::Scheduler;

Node::Node(Shared& shared, std::size_t process, const std::string& schema, int concurrency)
    : shared_(shared), process_(process) {
    options.schema = schema;
    options.concurrency = concurrency;
}

void Node::run(const jtimer::cluster::Handler& handler) {
    Scheduler scheduler(options);
    scheduler.registerTask(
        "bench", handler ? handler : [](Run&) {});
    if (!otherName.empty()) scheduler.registerTask(otherName, [](Run&) {});
    scheduler.start();
    for (++shared_.ready; !shared_.stop; pause(10ms)) {
        const jtimer::cluster::Stats stats = scheduler.stats();
        shared_.done[process_] = static_cast<long>(stats.succeeded);
        shared_.polls = static_cast<long>(stats.polls);
    }
}

std::vector<std::string> newIds(std::size_t count) {
    static std::atomic<long> last{0};
    std::vector<std::string> ids;
    ids.reserve(count);
    for (std::size_t i = 0; i < count; ++i) ids.push_back("new " + std::to_string(++last));
    return ids;
}

void scheduleInThreads(Shared& shared, int threads) {
    Scheduler scheduler;
    std::vector<std::thread> all;
    ++shared.ready;
    for (int i = 0; i < threads; ++i)
        all.emplace_back([&shared, &scheduler] {
            while (!shared.stop) {
                scheduler.schedule("bench", newIds(1)[0], 1h);
                ++shared.done[0];
            }
        });
    for (std::thread& each : all) each.join();
}

void scheduleMany(Shared& shared, int) {
    Scheduler scheduler;
    for (++shared.ready; !shared.stop;) {
        std::vector<NewTask> tasks;
        for (std::string& id : newIds(1000))
            tasks.push_back({"bench", std::move(id), Schedule::once(1h), "", {}});
        scheduler.scheduleAll(tasks);
        shared.done[0] += 1000;
    }
}

bool migrateAgain(const std::string& schema) {
    const bool missing =
        Database().run("select from pg_namespace where nspname = '" + schema + "'").empty();
    jtimer::cluster::Options options;
    options.schema = schema;
    jtimer::cluster::migrate(options);
    return missing;
}

}  // namespace bench
