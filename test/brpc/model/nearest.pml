/* Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
 *
 * How the threads that schedule and the timer's thread keep each other informed: the two levels of
 * `nearest`, the sleep and the stop, as in lib/brpc/bucket_loop.cpp. `make model` has spin search
 * all interleavings:
 *
 *  - no wake-up is lost: when nothing moves any more, every task has run or was removed;
 *  - the thread never sleeps past the time of a task whose schedule() has returned;
 *  - a stop at any moment ends the thread, and no task begins after it;
 *  - the thread goes round again only if somebody has told it to: it does not spin.
 *
 * Behaviours: B32, B35, B49.
 *
 * With MISTAKE it must find an error:
 *
 *  1. the announcement is made outside of the mutex;
 *  2. the stop flag is read before `nearest` is reset, and not again before the sleep;
 *  3. the last question of a round is `>=` instead of `>`.
 *
 * Two producers with a task each, in one bucket and in two, and one with two tasks: `make model`.
 * With -DTASKS_EACH=2 -DTASKS=3, which takes 3 GB and ten minutes, it finds no error either.
 *
 * What happens under a mutex is one atomic step here, since nobody else touches what it guards. Two
 * things are worse than in the code: a list that is looked at without its mutex may seem empty,
 * unless an announcement has made known, by way of the global mutex, that it is not; and a
 * notification comes any time after the mutex was released.
 */
#ifndef MISTAKE
#define MISTAKE 0
#endif
#ifndef BUCKETS
#define BUCKETS 1
#endif
#define PRODUCERS 2
#ifndef TASKS_EACH
#define TASKS_EACH 1
#endif
#ifndef TASKS
#define TASKS (PRODUCERS * TASKS_EACH)
#endif
#define LAST_TIME 2
#define NEVER 3

byte now;

/* The word of a slot, as far as it matters. */
#define FREE 0
#define SCHEDULED 1
#define RUNNING 2
#define DONE 3 /* has run, or was removed */
byte state[TASKS];
byte time[TASKS];

/* Where the task is linked. */
#define NOWHERE 0
#define IN_BUCKET 1
#define IN_HEAP 2
byte place[TASKS];

/* It has been to the global mutex; and the thread has been there since. */
bool announced[TASKS];
bool known[TASKS];
/* Its schedule() has returned. */
bool returned[TASKS];

byte bucketNearest[BUCKETS];
/* How many tasks of this bucket are pushed, and not announced yet. */
byte underway[BUCKETS];

/* The global mutex guards these. `waiting`: the thread sleeps, and nobody has undertaken to notify
 * it. */
byte nearest = NEVER;
bool stopped;
bool waiting;
byte wakeAt = NEVER;

bool notified;
bool threadEnded;
/* Something was announced since the round began. */
bool told;

#define BUCKET_OF(task) (((task) / TASKS_EACH) % BUCKETS)

/* The thread may sleep past a task only behind another one of its bucket that is still being
 * announced. */
#define SLEEPS_PAST(task) \
    (waiting && !stopped && state[task] == SCHEDULED && returned[task] && \
     underway[BUCKET_OF(task)] == 0 && time[task] < wakeAt)

inline forAllTasks(task, assertion) {
    task = 0;
    do
    :: task < TASKS -> assert(assertion); task++
    :: else -> task = 0; break
    od
}

/* announce(), and leaveAndWake() without the notification. */
inline announceAndLeave(task) {
#if MISTAKE == 1
    if
    :: time[task] < nearest -> nearest = time[task]; told = true; wake = waiting; waiting = false
    :: else -> skip
    fi
#else
    atomic {
        announced[task] = place[task] == IN_BUCKET;
        if
        :: time[task] < nearest ->
            nearest = time[task];
            told = true;
            wake = waiting;
            waiting = false
        :: else -> skip
        fi
    }
#endif
}

proctype Producer(byte p) {
    byte i;
    byte task;
    bool earlier;
    bool wake;
    do
    :: i < TASKS_EACH && p * TASKS_EACH + i < TASKS ->
        atomic {
            task = p * TASKS_EACH + i;
            if
            :: stopped -> goto refused
            :: else -> skip
            fi;
            if
            :: time[task] = 1
            :: time[task] = LAST_TIME
            :: time[task] = NEVER
            fi
        }
        atomic { /* under the bucket's mutex */
            state[task] = SCHEDULED;
            place[task] = IN_BUCKET;
            earlier = time[task] < bucketNearest[BUCKET_OF(task)];
            if
            :: earlier ->
                bucketNearest[BUCKET_OF(task)] = time[task];
                underway[BUCKET_OF(task)]++
            :: else -> returned[task] = true
            fi
        }
        if
        :: earlier ->
            wake = false;
            announceAndLeave(task);
            atomic {
                if
                :: wake -> notified = true
                :: else -> skip
                fi;
                underway[BUCKET_OF(task)]--;
                returned[task] = true
            }
        :: else -> skip
        fi;
        if
        :: atomic { state[task] == SCHEDULED -> state[task] = DONE } /* unschedule() */
        :: skip
        fi;
        i++
    :: else -> break
    od;
refused:
    skip
}

inline findTop() {
    d_step {
        top = TASKS;
        least = NEVER;
        t = 0;
        do
        :: t < TASKS ->
            if
            :: place[t] == IN_HEAP && (top == TASKS || time[t] < least) ->
                top = t;
                least = time[t]
            :: else -> skip
            fi;
            t++
        :: else -> t = 0; break
        od
    }
}

/* Empties bucket b, or overlooks what is in it. */
inline pull() {
    d_step {
        filled = false;
        visible = false;
        t = 0;
        do
        :: t < TASKS ->
            if
            :: place[t] == IN_BUCKET && BUCKET_OF(t) == b ->
                filled = true;
                visible = visible || known[t]
            :: else -> skip
            fi;
            t++
        :: else -> t = 0; break
        od
    }
    if
    :: filled ->
        d_step { /* under the bucket's mutex */
            bucketNearest[b] = NEVER;
            t = 0;
            do
            :: t < TASKS ->
                if
                :: place[t] == IN_BUCKET && BUCKET_OF(t) == b ->
                    place[t] = (state[t] == SCHEDULED -> IN_HEAP : NOWHERE);
                    announced[t] = false;
                    known[t] = false
                :: else -> skip
                fi;
                t++
            :: else -> t = 0; break
            od
        }
    :: !visible -> skip
    fi
}

active proctype Thread() {
    byte b;
    byte t;
    byte top;
    byte least;
    bool filled;
    bool visible;
    bool again;
    bool seenStopped;
    do
    :: true ->
#if MISTAKE == 2
        seenStopped = stopped;
        if
        :: seenStopped -> break
        :: else -> skip
        fi;
#endif
        atomic { /* beginRound() */
            if
            :: stopped && MISTAKE != 2 -> break
            :: else -> skip
            fi;
            nearest = NEVER;
            t = 0;
            told = false;
            do
            :: t < TASKS -> known[t] = announced[t]; t++
            :: else -> t = 0; break
            od
        }

        b = 0;
        do
        :: b < BUCKETS -> pull(); b++
        :: else -> b = 0; break
        od;

        again = false;
        do /* runDue() */
        :: true ->
            atomic {
                findTop();
                if
                :: top == TASKS || (state[top] == SCHEDULED && least > now) -> break
                :: top < TASKS && state[top] != SCHEDULED -> place[top] = NOWHERE
                :: else -> skip
                fi
            }
            if
            :: place[top % TASKS] == IN_HEAP ->
                atomic { /* under the global mutex */
                    if
                    :: stopped || least > nearest -> again = true; break
                    :: else -> skip
                    fi;
                    place[top] = NOWHERE;
                    if
                    :: state[top] == SCHEDULED -> state[top] = RUNNING
                    :: else -> skip
                    fi
                }
                if
                :: state[top] == RUNNING -> state[top] = DONE
                :: else -> skip
                fi
            :: else -> skip
            fi
        od;

        atomic {
            findTop();
#if MISTAKE != 2
            seenStopped = stopped;
#endif
            if
#if MISTAKE == 3
            :: again || seenStopped || least >= nearest -> assert(told || stopped)
#else
            :: again || seenStopped || least > nearest -> assert(told || stopped)
#endif
            :: else ->
                nearest = least; /* beginSleep() */
                wakeAt = least;
                notified = false;
                waiting = true
            fi;
            top = 0;
            least = 0;
            filled = false;
            visible = false;
            again = false;
            seenStopped = false
        }
        if
        :: waiting || notified ->
            atomic { /* the wait ends, and has the mutex again */
                notified || (wakeAt != NEVER && now >= wakeAt) ->
                notified = false;
                waiting = false;
                wakeAt = NEVER
            }
        :: else -> skip
        fi
    od;
    threadEnded = true
}

active proctype Clock() {
    byte t;
    do
    :: now < LAST_TIME ->
        atomic {
            forAllTasks(t, !SLEEPS_PAST(t));
            now++
        }
    :: else -> break
    od
}

active proctype Stopper() {
    byte t;
    bool wake;
    if
    :: skip    /* at any moment */
    :: timeout /* when nothing moves any more */
        -> forAllTasks(t, state[t] == DONE || time[t] == NEVER)
    fi;
    atomic {
        stopped = true;
        wake = waiting;
        waiting = false;
        forAllTasks(t, state[t] != RUNNING || !threadEnded)
    }
    if
    :: wake -> notified = true
    :: else -> skip
    fi;
    threadEnded /* else spin reports an invalid end state */
}

init {
    byte i;
    atomic {
        do
        :: i < BUCKETS -> bucketNearest[i] = NEVER; i++
        :: else -> i = 0; break
        od;
        do
        :: i < PRODUCERS -> run Producer(i); i++
        :: else -> break
        od
    }
}
