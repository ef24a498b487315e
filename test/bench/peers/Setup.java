// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

/** What is measured: the arguments of TimerPeers. */
final class Setup {
    final Class<?> peer;
    final String workload;
    final String mode;
    final String sizeText;
    final int size;
    final boolean quick;

    Setup(Class<?> peer, String workload, String mode, String sizeText, boolean quick) {
        this.peer = peer;
        this.workload = workload;
        this.mode = mode;
        this.sizeText = sizeText;
        this.size = (int) Double.parseDouble(sizeText);
        this.quick = quick;
    }

    Peer make() {
        try {
            return (Peer) peer.getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    int scaled(int full) {
        return quick ? full / 100 : full;
    }

    void report(String ofWorkload, String figure, double value) {
        report(ofWorkload, "", figure, value);
    }

    /** WHEN is "cold", "warm" or, where there is one figure for both, nothing. */
    void report(String ofWorkload, String when, String figure, double value) {
        String parameter = mode + " " + sizeText + (when.isEmpty() ? "" : " " + when);
        System.out.println(ofWorkload + "\t" + parameter + "\t" + figure + "\t" + value);
    }

    /** Wall and CPU time for each of the items. */
    void report(String ofWorkload, String when, String what, Measure.Stopwatch time, double items) {
        report(ofWorkload, when, what + "_ns", time.wall / items);
        report(ofWorkload, when, what + "_cpu_ns", time.cpu / items);
    }
}
