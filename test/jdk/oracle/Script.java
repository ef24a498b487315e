// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

import java.util.ArrayList;
import java.util.List;

/** What the lines of a scenario say. */
final class Script {
    private Script() {
    }

    /** One operation. */
    static final class Op {
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
    static final class Step {
        int run;
        Op op;
    }

    static List<String> wordsOf(String line) {
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

    static long number(String word) {
        return word.equals("min") ? Long.MIN_VALUE
            : word.equals("max") ? Long.MAX_VALUE : Long.parseLong(word);
    }

    static String unquoted(String word) {
        return word.substring(1, word.length() - 1).replace("\\n", "\n");
    }

    static String quoted(String text) {
        return '"' + text.replace("\n", "\\n") + '"';
    }
}
