// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "bare.hpp"

namespace bench {

namespace {

constexpr const char* kClaim = R"(
    with due as materialized (
        select ctid as place from SCHEMA.task
        where owner is null and wake <= now() and name = any ('{bench}')
        order by wake limit $1 for update skip locked)
    update SCHEMA.task set owner = 1, token = nextval('SCHEMA.token'), attempt = attempt + 1,
        started = now()
    where ctid = any (array(select place from due)) returning id, token)";

constexpr const char* kEnd = R"(
    delete from SCHEMA.task using unnest($1::text[], $2::bigint[]) as ended (id, token)
    where task.name = 'bench' and task.id = ended.id and task.token = ended.token)";

// Due in an hour: nothing claims what is inserted here.
constexpr const char* kInsert = R"(
    insert into SCHEMA.task (name, id, payload, kind, missed, origin, due, wake)
    select 'bench', id, '', 'once', 'once', at, at, at
    from unnest($1::text[]) id, (select now() + interval '1 hour' as at) clock
    on conflict (name, id) do nothing)";

constexpr const char* kInsertDue = R"(
    with inserted as (
        insert into SCHEMA.task (name, id, payload, kind, missed, origin, due, wake)
        values ('bench', $1, '', 'once', 'once', now(), now(), now()))
    select pg_notify('bare', ''))";

std::string in(const std::string& schema, std::string sql) {
    const std::string word = "SCHEMA";
    for (std::size_t at = 0; (at = sql.find(word, at)) != std::string::npos;)
        sql.replace(at, word.size(), schema);
    return sql;
}

/// Of elements that need no quotes.
std::string array(const std::vector<std::string>& elements) {
    std::string text = "{";
    for (const std::string& element : elements) text += (text.size() > 1 ? "," : "") + element;
    return text + "}";
}

}  // namespace

Bare::Bare(const std::string& schema) {
    database_.prepare("claim", in(schema, kClaim));
    database_.prepare("end", in(schema, kEnd));
    database_.prepare("insert", in(schema, kInsert));
    database_.prepare("insert due", in(schema, kInsertDue));
}

Bare::Claimed Bare::claim(int limit) const {
    Claimed tasks;
    for (const auto& row : database_.execute("claim", {std::to_string(limit)})) {
        tasks.ids.push_back(row[0]);
        tasks.tokens.push_back(row[1]);
    }
    return tasks;
}

void Bare::end(const Claimed& tasks) const {
    database_.execute("end", {array(tasks.ids), array(tasks.tokens)});
}

void Bare::insert(const std::string& id) const { insert(std::vector<std::string>{id}); }

void Bare::insert(const std::vector<std::string>& ids) const {
    database_.execute("insert", {array(ids)});
}

void Bare::insertBetween(const std::string& id) const {
    database_.run("begin");
    insert(id);
    database_.run("commit");
}

void Bare::insertDueAndNotify(const std::string& id) const {
    database_.execute("insert due", {id});
}

void Bare::listen() const { database_.run("listen bare"); }

void Bare::awaitNotification() const { database_.awaitNotification(); }

}  // namespace bench
