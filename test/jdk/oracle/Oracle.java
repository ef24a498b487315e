// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;

/**
 * Plays scenarios (README.md) on the real java.util.Timer: reads them from the standard input,
 * writes their transcripts to the standard output. Does what player.cpp does, function by function.
 * Compiles on Java 8 and later.
 */
public final class Oracle extends Stage {
    private static final long MINUTE = 60000;
    private static final int TOO_MANY = 1000;

    /** The answer of a call, which may be an exception. */
    private interface Call {
        String answer();
    }

    private final List<Script.Op> ops = new ArrayList<Script.Op>();
    private int firstSerialNumber = -1;

    private void read(String line) {
        List<String> words = Script.wordsOf(line);
        if (words.get(0).equals("task")) {
            tasks.put(words.get(1), new PlayedTask(words.get(1), words.size() > 2));
        } else if (words.get(0).equals("on")) {
            Script.Step step = new Script.Step();
            step.run = words.get(2).equals("*") ? 0 : Integer.parseInt(words.get(2));
            step.op = new Script.Op(words.subList(3, words.size()));
            tasks.get(words.get(1)).steps.add(step);
        } else {
            ops.add(new Script.Op(words));
        }
    }

    // --- what tasks do --------------------------------------------------------------------------

    @Override
    void runTask(PlayedTask task) {
        try {
            int run = ++task.begun;
            task.timer = currentTimer.get();
            String where = "by hand";
            if (task.timer != null) {
                String name = Thread.currentThread().getName();
                where = "in " + (name.equals(task.timer.threadName) ? task.timer.shownName : name);
            }
            say(task.name + " runs, " + run + ", " + shownTime(task) + ", " + where);
            for (Script.Step step : task.steps) {
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

    private void perform(final Script.Op op, PlayedTask running) {
        String text = (running == null ? "" : "  ") + op.text;
        if (op.verb.equals("throw")) {
            say(text);
            throwAs(op.args.get(0), Script.unquoted(op.args.get(1)));
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

    // --- calls ----------------------------------------------------------------------------------

    private boolean control(Script.Op op, PlayedTask running) {
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
            sleep(Script.number(op.args.get(0)));
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

    private String answer(Script.Op op) {
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
                    : op.verb.equals("setPeriod") ? setPeriod(task, Script.number(op.args.get(1)))
                    : op.verb.equals("run") ? runByHand(task) : shownTime(task);
        }
    }

    private String construct(Script.Op op) {
        final boolean named = op.args.size() > 2;
        String word = named ? op.args.get(2) : "";
        final String name = !named || word.equals("null") ? null : Script.unquoted(word);
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
            return Script.quoted(name);
        }
        int serialNumber = Integer.parseInt(name.substring(head.length()));
        if (firstSerialNumber < 0) {
            firstSerialNumber = serialNumber;
        }
        return Script.quoted(head + (serialNumber - firstSerialNumber));
    }

    private String schedule(Script.Op op) {
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

    private String callSchedule(Script.Op op, final PlayedTask task) {
        final Timer timer = findTimer(op.args.get(0)).timer;
        final boolean rate = op.verb.equals("scheduleAtFixedRate");
        final boolean once = op.args.size() == 4;
        final long period = once ? 0 : Script.number(op.args.get(5));
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
            : word.equals("toofar") ? Long.MAX_VALUE - now + MINUTE : Script.number(word);
    }

    private Date dateOf(String word) {
        return word.charAt(0) == '@' ? new Date(Script.number(word.substring(1)))
            : new Date(start + Script.number(word));
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

    /** As programs do that change a period: Java has no call for it. A fixed delay stays one. */
    private static String setPeriod(PlayedTask task, long period) {
        try {
            Field field = TimerTask.class.getDeclaredField("period");
            field.setAccessible(true);
            field.setLong(task, field.getLong(task) < 0 ? -period : period);
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException(e);
        }
        return "ok";
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

    private List<String> play() {
        for (Script.Op op : ops) {
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
