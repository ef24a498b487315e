// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// An order and the mail that confirms it are one transaction: both are committed, or neither. The
// note that the mail was sent is one transaction with the end of the run. So a mail that could not
// be sent is tried again, and one that is noted is not.
#include <jtimer/cluster/scheduler.hpp>

#include <libpq-fe.h>

#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>

using namespace jtimer::cluster;
using Connection = std::unique_ptr<PGconn, decltype(&PQfinish)>;

namespace {

std::mutex sending;
std::condition_variable sent;
int mails = 0;

Connection connect() { return {PQconnectdb(""), &PQfinish}; }

std::string run(const Connection& connection, const std::string& statement) {
    const std::unique_ptr<PGresult, decltype(&PQclear)> result(
        PQexec(connection.get(), statement.c_str()), &PQclear);
    return PQntuples(result.get()) > 0 ? PQgetvalue(result.get(), 0, 0) : "";
}

void order(Scheduler& scheduler, const Connection& shop, const std::string& what, bool isPaid) {
    run(shop, "begin");
    const std::string number =
        run(shop, "insert into orders (what) values ('" + what + "') returning number");
    scheduler.schedule(shop.get(), {"confirm", number, Schedule::once(0), what});
    run(shop, isPaid ? "commit" : "rollback");
    if (isPaid) scheduler.wakeUp();
}

void confirm(Run& task) {
    const Connection shop = connect();
    run(shop, "begin");
    run(shop, "update orders set confirmed = true where number = " + task.id());
    task.complete(shop.get());
    run(shop, "commit");
    const std::lock_guard lock(sending);
    ++mails;
    sent.notify_one();
}

}  // namespace

int main() {
    Options options;
    options.schema = "outbox";
    migrate(options);
    Scheduler scheduler(options);
    scheduler.registerTask("confirm", confirm);

    const Connection shop = connect();
    run(shop, "create table orders (number serial, what text, confirmed bool default false)");
    order(scheduler, shop, "apples", true);
    order(scheduler, shop, "pears", false);
    order(scheduler, shop, "plums", true);
    std::printf("%zu mails are to be sent\n", scheduler.list().size());

    scheduler.start();
    {
        std::unique_lock lock(sending);
        sent.wait(lock, [] { return mails == 2; });
    }
    scheduler.stop();
    std::printf("%s of %s orders are confirmed\n",
                run(shop, "select count(*) from orders where confirmed").c_str(),
                run(shop, "select count(*) from orders").c_str());
}
