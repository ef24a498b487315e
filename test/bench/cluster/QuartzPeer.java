// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;

/**
 * How many jobs a second a clustered Quartz runs with 10 threads, and how many it stores by 8: java
 * QuartzPeer JOBS. It acquires triggers in batches, as its documentation recommends.
 */
public final class QuartzPeer {
    private static final int STORING_THREADS = 8;
    private static final CountDownLatch over = new CountDownLatch(1);
    private static final AtomicInteger done = new AtomicInteger();
    private static volatile long begin;
    private static int jobs;

    public static final class Nothing implements Job {
        @Override public void execute(JobExecutionContext context) {
            int number = done.incrementAndGet();
            if (number == jobs / 10) begin = System.nanoTime();
            if (number == jobs) over.countDown();
        }
    }

    public static void main(String[] arguments) throws Exception {
        jobs = Integer.parseInt(arguments[0]);
        String url = "jdbc:postgresql://127.0.0.1:" + System.getenv("PGPORT") + "/postgres";
        try (Connection connection = DriverManager.getConnection(url, "jtimer", "")) {
            byte[] tables = StdSchedulerFactory.class.getResourceAsStream(
                "/org/quartz/impl/jdbcjobstore/tables_postgres.sql").readAllBytes();
            connection.createStatement().execute(new String(tables, StandardCharsets.UTF_8));
        }
        Scheduler scheduler = new StdSchedulerFactory(properties(url)).getScheduler();
        double stored = store(scheduler);
        scheduler.start();
        over.await();
        System.out.println((jobs - jobs / 10) * 1e9 / (System.nanoTime() - begin) + " " + stored);
        scheduler.shutdown(true);
        System.exit(0);
    }

    private static void store(Scheduler scheduler, int id) {
        try {
            scheduler.scheduleJob(JobBuilder.newJob(Nothing.class).withIdentity("job " + id).build(),
                TriggerBuilder.newTrigger().withIdentity("trigger " + id).startNow().build());
        } catch (Exception exception) {
            exception.printStackTrace();
            System.exit(1);
        }
    }

    private static double store(Scheduler scheduler) throws Exception {
        // The first call inserts the rows that Quartz locks, and calls at the same time collide.
        store(scheduler, 0);
        Thread[] threads = new Thread[STORING_THREADS];
        AtomicInteger next = new AtomicInteger(1);
        long start = System.nanoTime();
        for (int i = 0; i < threads.length; ++i) {
            threads[i] = new Thread(() -> {
                for (int id = next.getAndIncrement(); id < jobs; id = next.getAndIncrement())
                    store(scheduler, id);
            });
            threads[i].start();
        }
        for (Thread thread : threads) thread.join();
        return jobs * 1e9 / (System.nanoTime() - start);
    }

    private static Properties properties(String url) {
        String[][] values = {
            {"scheduler.instanceName", "bench"},
            {"scheduler.instanceId", "AUTO"},
            {"scheduler.batchTriggerAcquisitionMaxCount", "10"},
            {"scheduler.skipUpdateCheck", "true"},
            {"threadPool.class", "org.quartz.simpl.SimpleThreadPool"},
            {"threadPool.threadCount", "10"},
            {"jobStore.class", "org.quartz.impl.jdbcjobstore.JobStoreTX"},
            {"jobStore.driverDelegateClass", "org.quartz.impl.jdbcjobstore.PostgreSQLDelegate"},
            {"jobStore.isClustered", "true"},
            {"jobStore.acquireTriggersWithinLock", "true"},
            {"jobStore.misfireThreshold", "600000"},
            {"jobStore.dataSource", "bench"},
            {"dataSource.bench.provider", "hikaricp"},
            {"dataSource.bench.driver", "org.postgresql.Driver"},
            {"dataSource.bench.URL", url},
            {"dataSource.bench.user", "jtimer"},
            {"dataSource.bench.password", ""},
            {"dataSource.bench.maxConnections", "20"}};
        Properties properties = new Properties();
        for (String[] value : values) properties.setProperty("org.quartz." + value[0], value[1]);
        return properties;
    }
}
