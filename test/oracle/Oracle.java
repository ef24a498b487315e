// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Timer;
import java.util.TimerTask;
import java.util.TreeMap;

/**
 * Plays scenarios (README.md) on the real java.util.Timer: reads them from the standard input,
 * writes their transcripts to the standard output. Does what player.cpp does, function by function.
 * Compiles on Java 8 and later.
 */
public final class Oracle {
    private static final long MINUTE = 60000;
    private static final long PATIENCE = 10000;
    private static final int TOO_MANY = 1000;
    private static final long SENTINEL_TIME = -60000;

    private static volatile int inVain;

    /** The answer of a call, which may be an exception. */
    private interface Call {
        String answer();
    }

    private interface Condition {
        boolean holds();
    }

    /** One operation. */
    private static final class Op {
        String text;
        boolean onThread;
        String verb;
        List<String> args;

        Op(List<String> words) {
            text = String.join(" ", words);
            onThread = words.get(0).equals("thread");
            List<String> rest = onThread ? words.subList(1, words.size()) : words;
            verb = rest.get(0);
            args = rest.subList(1, rest.size());
        }
    }

    /** What a task does in its run number {@code run}; in each, if 0. */
    private static final class Step {
        int run;
        Op op;
    }

    private static final class PlayedTimer {
        String name;
        String threadName;
        String shownName;
        final List<String> lines = new ArrayList<String>();
        Thread thread;
        boolean[] sentinel;
        Timer timer;
    }

    /** What a time that a task answers is counted from: what is not certain is not printed. */
    private enum Anchor { NEVER, START, EPOCH, NOW }

    private final class PlayedTask extends TimerTask {
        final String name;
        final boolean deaf;
        final List<Step> steps = new ArrayList<Step>();
        Anchor anchor = Anchor.NEVER;
        boolean fixedDelay;
        int begun;
        int over;
        PlayedTimer timer;
        boolean holding;
        boolean released;

        PlayedTask(String name, boolean deaf) {
            this.name = name;
            this.deaf = deaf;
        }

        @Override
        public void run() {
            runTask(this);
        }

        @Override
        public boolean cancel() {
            if (!deaf) {
                return super.cancel();
            }
            say("  cancel() was called");
            return false;
        }
    }

    /** The timer whose thread calls; null on other threads. */
    private static final ThreadLocal<PlayedTimer> currentTimer = new ThreadLocal<PlayedTimer>();

    /** The timer whose lines the calling thread writes; null: the script's. */
    private static final ThreadLocal<PlayedTimer> voice = new ThreadLocal<PlayedTimer>();

    private final Object monitor = new Object();
    private final List<String> lines = new ArrayList<String>();
    private final Map<String, PlayedTimer> timers = new HashMap<String, PlayedTimer>();
    private final List<PlayedTimer> inOrder = new ArrayList<PlayedTimer>();
    private final Map<String, PlayedTask> tasks = new TreeMap<String, PlayedTask>();
    private final List<Op> ops = new ArrayList<Op>();
    private final long start = System.currentTimeMillis();
    private int firstSerialNumber = -1;
    private boolean closing;

    // --- reading --------------------------------------------------------------------------------

    private static List<String> wordsOf(String line) {
        List<String> words = new ArrayList<String>();
        int i = 0;
        while (i < line.length()) {
            if (line.charAt(i) == ' ') {
                ++i;
                continue;
            }
            int end = line.charAt(i) == '"' ? line.indexOf('"', i + 1) + 1 : line.indexOf(' ', i);
            if (end < 0) {
                end = line.length();
            }
            words.add(line.substring(i, end));
            i = end;
        }
        return words;
    }

    private void read(String line) {
        List<String> words = wordsOf(line);
        if (words.get(0).equals("task")) {
            tasks.put(words.get(1), new PlayedTask(words.get(1), words.size() > 2));
        } else if (words.get(0).equals("on")) {
            Step step = new Step();
            step.run = words.get(2).equals("*") ? 0 : Integer.parseInt(words.get(2));
            step.op = new Op(words.subList(3, words.size()));
            tasks.get(words.get(1)).steps.add(step);
        } else {
            ops.add(new Op(words));
        }
    }

    private static long number(String word) {
        return word.equals("min") ? Long.MIN_VALUE
            : word.equals("max") ? Long.MAX_VALUE : Long.parseLong(word);
    }

    private static String unquoted(String word) {
        return word.substring(1, word.length() - 1).replace("\\n", "\n");
    }

    private static String quoted(String text) {
        return '"' + text.replace("\n", "\\n") + '"';
    }

    // --- the stage ------------------------------------------------------------------------------

    private boolean reached(Condition condition) throws InterruptedException {
        // A scenario that is being reduced may wait for what no longer comes.
        long end = System.nanoTime() + (inVain < 3 ? PATIENCE : 300) * 1000000;
        synchronized (monitor) {
            while (!condition.holds()) {
                long left = (end - System.nanoTime()) / 1000000;
                if (left <= 0) {
                    return false;
                }
                monitor.wait(left);
            }
            return true;
        }
    }

    private void await(Condition condition) {
        try {
            if (!reached(condition)) {
                ++inVain;
                say("(waited in vain)");
            }
        } catch (InterruptedException e) {
            say("(interrupted)");
        }
    }

    private void say(String line) {
        PlayedTimer timer = voice.get();
        synchronized (monitor) {
            if (timer == null) {
                lines.add(line);
            } else {
                timer.lines.add("[" + timer.name + "] " + line);
            }
        }
    }

    private void show(PlayedTimer timer) {
        synchronized (monitor) {
            lines.addAll(timer.lines);
            timer.lines.clear();
        }
    }

    private PlayedTimer findTimer(String name) {
        synchronized (monitor) {
            return timers.get(name);
        }
    }

    /** Marks the calling thread as the timer's, until it ends. */
    private void enterThreadOf(final PlayedTimer timer) {
        currentTimer.set(timer);
        voice.set(timer);
        Thread.currentThread().setUncaughtExceptionHandler(new Thread.UncaughtExceptionHandler() {
            @Override
            public void uncaughtException(Thread thread, Throwable e) {
                say("Exception in thread " + timer.shownName + " " + e.getClass().getSimpleName()
                    + ": " + e.getMessage());
            }
        });
        synchronized (monitor) {
            timer.threadName = Thread.currentThread().getName();
            timer.thread = Thread.currentThread();
            monitor.notifyAll();
        }
    }

    // --- what tasks do --------------------------------------------------------------------------

    private void runTask(PlayedTask task) {
        try {
            int run = ++task.begun;
            task.timer = currentTimer.get();
            String where = "by hand";
            if (task.timer != null) {
                String name = Thread.currentThread().getName();
                where = "in " + (name.equals(task.timer.threadName) ? task.timer.shownName : name);
            }
            say(task.name + " runs, " + run + ", " + shownTime(task) + ", " + where);
            for (Step step : task.steps) {
                if (step.run == 0 || step.run == run) {
                    perform(step.op, task);
                }
            }
            if (run == TOO_MANY) {
                throw new RuntimeException("too many runs");
            }
        } finally {
            synchronized (monitor) {
                ++task.over;
                monitor.notifyAll();
            }
        }
    }

    private void perform(final Op op, PlayedTask running) {
        String text = (running == null ? "" : "  ") + op.text;
        if (op.verb.equals("throw")) {
            say(text);
            throwAs(op.args.get(0), unquoted(op.args.get(1)));
        }
        if (control(op, running)) {
            return;
        }
        final String[] result = {null};
        if (op.onThread) {
            final PlayedTimer timer = voice.get();
            Thread thread = new Thread() {
                @Override
                public void run() {
                    voice.set(timer);
                    result[0] = answer(op);
                }
            };
            thread.start();
            joinThread(thread);
        } else {
            result[0] = answer(op);
        }
        say(text + " => " + result[0]);
    }

    private static void throwAs(String type, String text) {
        switch (type) {
            case "RuntimeException":
                throw new RuntimeException(text);
            case "Error":
                throw new Error(text);
            case "OutOfMemoryError":
                throw new OutOfMemoryError(text);
            case "InterruptedException":
                Oracle.<RuntimeException>sneak(new InterruptedException(text));
                break;
            default:
                Oracle.<RuntimeException>sneak(new Exception(text));
        }
    }

    /** Throws what a run() must not declare. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void sneak(Throwable e) throws T {
        throw (T) e;
    }

    // --- calls ----------------------------------------------------------------------------------

    /** Java has no text of its own for a null task: {@code explained} tells that none may come. */
    private static String answerOf(Call call, boolean explained) {
        try {
            return call.answer();
        } catch (IllegalArgumentException e) {
            return "IllegalArgumentException: " + e.getMessage();
        } catch (IllegalStateException e) {
            return "IllegalStateException: " + e.getMessage();
        } catch (NullPointerException e) {
            return explained ? "NullPointerException: " + e.getMessage() : "NullPointerException";
        }
    }

    private String answer(Op op) {
        String name = op.args.get(0);
        switch (op.verb) {
            case "timer":
                return construct(op);
            case "cancel":
                return cancel(name);
            case "purge":
                PlayedTimer timer = findTimer(name);
                return timer == null ? "no such timer" : Integer.toString(timer.timer.purge());
            case "schedule":
            case "scheduleAtFixedRate":
                return schedule(op);
            default:
                PlayedTask task = tasks.get(name);
                return task == null ? "no such task"
                    : op.verb.equals("run") ? runByHand(task) : shownTime(task);
        }
    }

    private String construct(Op op) {
        final boolean named = op.args.size() > 2;
        String word = named ? op.args.get(2) : "";
        final String name = !named || word.equals("null") ? null : unquoted(word);
        final String last = op.args.get(op.args.size() - 1);
        final PlayedTimer played = new PlayedTimer();
        played.name = op.args.get(0);
        String result = answerOf(new Call() {
            @Override
            public String answer() {
                boolean daemon = last.equals("daemon");
                boolean flagged = daemon || last.equals("user");
                played.timer = named && flagged ? new Timer(name, daemon)
                    : named ? new Timer(name) : flagged ? new Timer(daemon) : new Timer();
                return "";
            }
        }, true);
        if (played.timer == null) {
            return result;
        }
        synchronized (monitor) {
            if (timers.containsKey(played.name)) {
                return "a second one";
            }
            timers.put(played.name, played);
            inOrder.add(played);
        }
        played.timer.schedule(new TimerTask() {
            @Override
            public void run() {
                enterThreadOf(played);
            }
        }, new Date(0));
        await(new Condition() {
            @Override
            public boolean holds() {
                return played.thread != null;
            }
        });
        played.shownName = shownName(played.threadName, !named);
        return played.shownName;
    }

    /** Default names count from the first of the scenario: the process has played others before. */
    private String shownName(String name, boolean isDefault) {
        String head = "Timer-";
        if (!isDefault || !name.startsWith(head)) {
            return quoted(name);
        }
        int serialNumber = Integer.parseInt(name.substring(head.length()));
        if (firstSerialNumber < 0) {
            firstSerialNumber = serialNumber;
        }
        return quoted(head + (serialNumber - firstSerialNumber));
    }

    private String schedule(Op op) {
        PlayedTask task = tasks.get(op.args.get(1));
        if (task == null && !op.args.get(1).equals("null")) {
            return "no such task";
        }
        if (findTimer(op.args.get(0)) == null) {
            return "no such timer";
        }
        if (task == null) {
            return callSchedule(op, null);
        }
        // Set first, as the task may run before the call returns.
        Anchor anchor = task.anchor;
        boolean fixedDelay = task.fixedDelay;
        task.anchor = op.args.get(2).equals("delay") ? Anchor.NOW
            : op.args.get(3).charAt(0) == '@' ? Anchor.EPOCH : Anchor.START;
        task.fixedDelay = op.verb.equals("schedule") && op.args.size() > 4;
        String result = callSchedule(op, task);
        if (!result.equals("ok")) {
            task.anchor = anchor;
            task.fixedDelay = fixedDelay;
        }
        return result;
    }

    private String callSchedule(Op op, final PlayedTask task) {
        final Timer timer = findTimer(op.args.get(0)).timer;
        final boolean rate = op.verb.equals("scheduleAtFixedRate");
        final boolean once = op.args.size() == 4;
        final long period = once ? 0 : number(op.args.get(5));
        final boolean isDelay = op.args.get(2).equals("delay");
        final long delay = isDelay ? delayOf(op.args.get(3)) : 0;
        final Date date = isDelay ? null : dateOf(op.args.get(3));
        return answerOf(new Call() {
            @Override
            public String answer() {
                if (once && isDelay) {
                    timer.schedule(task, delay);
                } else if (once) {
                    timer.schedule(task, date);
                } else if (rate && isDelay) {
                    timer.scheduleAtFixedRate(task, delay, period);
                } else if (rate) {
                    timer.scheduleAtFixedRate(task, date, period);
                } else if (isDelay) {
                    timer.schedule(task, delay, period);
                } else {
                    timer.schedule(task, date, period);
                }
                return "ok";
            }
        }, false);
    }

    private static long delayOf(String word) {
        long now = System.currentTimeMillis();
        return word.equals("farthest") ? Long.MAX_VALUE - now - MINUTE
            : word.equals("toofar") ? Long.MAX_VALUE - now + MINUTE : number(word);
    }

    private Date dateOf(String word) {
        return word.charAt(0) == '@' ? new Date(number(word.substring(1)))
            : new Date(start + number(word));
    }

    private String cancel(String name) {
        PlayedTimer timer = findTimer(name);
        if (timer != null) {
            timer.timer.cancel();
            return "ok";
        }
        PlayedTask task = tasks.get(name);
        return task == null ? "no such timer or task" : Boolean.toString(task.cancel());
    }

    private static String runByHand(PlayedTask task) {
        try {
            task.run();
        } catch (Throwable e) {
            return "threw "
                + (e instanceof InterruptedException ? "InterruptedException" : e.getMessage());
        }
        return "ok";
    }

    /** What the task answers, as far as it is certain. */
    private String shownTime(PlayedTask task) {
        long millis = task.scheduledExecutionTime();
        boolean atFiring = task.fixedDelay && task.begun > 0;
        Anchor anchor = atFiring ? Anchor.NOW : task.anchor;
        long sinceStart = millis - start;
        if (anchor == Anchor.START) {
            return signed(sinceStart);
        }
        if (anchor == Anchor.NOW) {
            return "now" + signed(sinceStart - Math.floorMod(sinceStart, MINUTE));
        }
        return Long.toString(millis);
    }

    private static String signed(long n) {
        return (n < 0 ? "" : "+") + n;
    }

    // --- holding and waiting --------------------------------------------------------------------

    private boolean control(Op op, PlayedTask running) {
        switch (op.verb) {
            case "hold": case "held": case "release": case "join": case "ran": case "sleep":
                break;
            default:
                return false;
        }
        say((running == null ? "" : "  ") + op.text);
        if (op.verb.equals("hold")) {
            hold(running);
        } else if (op.verb.equals("sleep")) {
            sleep(number(op.args.get(0)));
        } else if (op.verb.equals("join")) {
            PlayedTimer timer = findTimer(op.args.get(0));
            if (timer != null) {
                join(timer);
            }
        } else {
            PlayedTask task = tasks.get(op.args.get(0));
            if (task != null) {
                switch (op.verb) {
                    case "held":
                        held(task);
                        break;
                    case "release":
                        release(task);
                        break;
                    default:
                        ran(task, Integer.parseInt(op.args.get(1)));
                }
            }
        }
        return true;
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void joinThread(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void hold(final PlayedTask task) {
        synchronized (monitor) {
            task.holding = true;
            monitor.notifyAll();
        }
        await(new Condition() {
            @Override
            public boolean holds() {
                return task.released || closing;
            }
        });
        synchronized (monitor) {
            task.holding = false;
        }
    }

    private void release(PlayedTask task) {
        // Now, as its place among ties must not depend on how far the thread has got.
        if (task.holding) {
            sendSentinel(task.timer);
        }
        synchronized (monitor) {
            task.released = true;
            monitor.notifyAll();
        }
    }

    private void held(final PlayedTask task) {
        if (task.anchor == Anchor.NEVER) {
            return;  // its timer has refused it
        }
        await(new Condition() {
            @Override
            public boolean holds() {
                return task.holding;
            }
        });
        if (task.timer != null) {
            show(task.timer);
        }
    }

    private void ran(final PlayedTask task, final int times) {
        await(new Condition() {
            @Override
            public boolean holds() {
                return task.over >= times;
            }
        });
        if (task.timer != null) {
            show(task.timer);
        }
    }

    /** Schedules the task whose run tells that all that was due has run. */
    private void sendSentinel(final PlayedTimer timer) {
        final boolean[] ran = {false};
        try {
            timer.timer.schedule(new TimerTask() {
                @Override
                public void run() {
                    synchronized (monitor) {
                        ran[0] = true;
                        monitor.notifyAll();
                    }
                }
            }, new Date(start + SENTINEL_TIME));
            timer.sentinel = ran;
        } catch (IllegalStateException e) {
            // Then the thread ends, which is as good.
        }
    }

    /** Waits until the timer has run what was due, or its thread has ended. */
    private void join(PlayedTimer timer) {
        if (timer.sentinel == null) {
            sendSentinel(timer);
        }
        boolean[] ran = timer.sentinel;
        timer.sentinel = null;
        try {
            // Nobody tells when a thread ends: this asks every now and then.
            long end = System.nanoTime() + PATIENCE * 1000000;
            synchronized (monitor) {
                while (timer.thread.isAlive() && (ran == null || !ran[0])) {
                    if (System.nanoTime() > end) {
                        say("(waited in vain)");
                        break;
                    }
                    monitor.wait(1);
                }
            }
        } catch (InterruptedException e) {
            say("(interrupted)");
        }
        show(timer);
    }

    /** The scenario is over. One timer after another, as their tasks may know each other. */
    private void close() {
        for (PlayedTimer timer : inOrder) {
            for (PlayedTask task : tasks.values()) {
                if (task.timer == timer) {
                    release(task);
                }
            }
            join(timer);
        }
        synchronized (monitor) {
            closing = true;
            monitor.notifyAll();
        }
        for (PlayedTimer timer : inOrder) {
            timer.timer.cancel();
        }
    }

    private List<String> play() {
        for (Op op : ops) {
            perform(op, null);
        }
        close();
        return lines;
    }

    private static void play(String name, List<String> script, PrintStream out) {
        Oracle oracle = new Oracle();
        for (String line : script) {
            oracle.read(line);
        }
        out.print("scenario " + name + "\n");
        for (String line : oracle.play()) {
            out.print(line + "\n");
        }
    }

    /** Reads scenarios without comments and empty lines. */
    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        PrintStream out =
            new PrintStream(new java.io.BufferedOutputStream(System.out, 1 << 16), false, "UTF-8");
        out.print("# recorded from " + System.getProperty("java.vm.name") + ", Java "
            + System.getProperty("java.version") + "\n");
        String name = null;
        List<String> script = new ArrayList<String>();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (!line.startsWith("scenario ")) {
                script.add(line);
                continue;
            }
            if (name != null) {
                play(name, script, out);
            }
            name = line.substring("scenario ".length());
            script.clear();
        }
        if (name != null) {
            play(name, script, out);
        }
        out.flush();
    }
}
