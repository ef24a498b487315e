// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

import java.lang.management.ManagementFactory;

/**
 * Timers in Java under the workloads of workload.hpp: the same arguments after the name of the
 * peer's class, the same lines. Whatever is timed has been compiled by the JIT before: by a warm-up,
 * or in W8 by the first two seconds.
 */
public class TimerPeers {
    private static void play(Setup setup) throws Exception {
        switch (setup.workload) {
            case "W1": new Calls.ScheduleAndCancel(setup).run(); break;
            case "W3": new Calls.Producers(setup).run(); break;
            case "W4": Firings.burst(setup); break;
            case "W5": Firings.lateness(setup); break;
            case "W6": Pending.memory(setup); break;
            case "W7": Pending.idleness(setup); break;
            case "W8": Firings.fixedRate(setup); break;
            case "W9": Firings.cancelledHeads(setup); break;
            default: throw new IllegalArgumentException("no such workload: " + setup.workload);
        }
    }

    private static String version(String library) {
        return (library.isEmpty() ? "" : library + ", ")
                + System.getProperty("java.vm.name")
                + " "
                + System.getProperty("java.vm.version")
                + ", "
                + String.join(" ", ManagementFactory.getRuntimeMXBean().getInputArguments())
                + ", "
                + ManagementFactory.getGarbageCollectorMXBeans().get(0).getName();
    }

    public static void main(String[] args) throws Exception {
        if (args.length == 2 && args[1].equals("--version")) {
            Setup any = new Setup(Class.forName(args[0]), "", "", "0", false);
            System.out.println(version(any.make().library()));
            Runtime.getRuntime().halt(0);
        }
        boolean quick = args.length == 5 && args[4].equals("--quick");
        if (args.length != 4 && !quick) {
            System.err.println("Usage: TimerPeers PEER --version | WORKLOAD MODE SIZE [--quick]");
            System.exit(2);
        }
        play(new Setup(Class.forName(args[0]), args[1], args[2], args[3], quick));
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }
}
