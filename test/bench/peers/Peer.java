// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

/** A timer that TimerPeers measures, made by its default constructor, with a thread THREAD. */
interface Peer {
    String THREAD = "timer peer";

    interface Function {
        void run(Object argument);
    }

    Object schedule(long delayMs, Function function, Object argument);

    /** As exactly as the peer can: `when` is a System.nanoTime(). */
    Object scheduleAt(long when, Function function, Object argument);

    void cancel(Object handle);

    /** Whether cancel() leaves the task behind, and purge() sweeps them out. */
    default boolean purges() {
        return true;
    }

    /** How many it has removed. */
    long purge();

    void scheduleAtFixedRate(long delayMs, long periodMs, Function function, Object argument);

    void stop();

    /** What it is beside the JDK, and its version. */
    default String library() {
        return "";
    }
}
