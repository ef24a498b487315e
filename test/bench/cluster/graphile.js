// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// How many jobs a second Graphile Worker runs: node graphile.js CONCURRENCY LOCAL_QUEUE JOBS
// With a local queue it also completes jobs in batches, as its documentation recommends.
const { EventEmitter } = require("node:events");
const { Logger, run, runMigrations } = require("graphile-worker");
const { Pool } = require("pg");

const [concurrentJobs, size, jobs] = process.argv.slice(2).map(Number);
const queue = size > 0 ? { localQueue: { size }, completeJobBatchDelay: 0, failJobBatchDelay: 0 } : {};

async function main() {
  const pgPool = new Pool({ max: concurrentJobs + 2 });
  // Graphile Worker warns of a pool without these.
  pgPool.on("error", console.error);
  pgPool.on("connect", (client) => client.on("error", console.error));
  const logger = new Logger(() => () => {});
  await runMigrations({ pgPool, logger });
  await pgPool.query("truncate graphile_worker._private_jobs");
  await pgPool.query(
    `select count(*) from graphile_worker.add_jobs(array(
       select row('bench', '{}', null, now(), 25, null, 0, null)::graphile_worker.job_spec
       from generate_series(1, $1)))`,
    [jobs]
  );
  await pgPool.query("analyze graphile_worker._private_jobs");

  const events = new EventEmitter();
  let done = 0;
  let begin = 0;
  const over = new Promise((resolve) => {
    events.on("job:complete", () => {
      if (++done === jobs / 10) begin = performance.now();
      if (done === jobs) resolve();
    });
  });
  const preset = { worker: { concurrentJobs, pollInterval: 1000, ...queue } };
  const runner = await run({ preset, pgPool, logger, events, noHandleSignals: true, taskList: { bench: () => {} } });
  await over;
  console.log(((jobs - jobs / 10) * 1000) / (performance.now() - begin));
  await runner.stop();
  await pgPool.end();
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
