/* Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
 *
 * A Mutex (lib/sync/mutex.cpp) whose release is a plain store, with the processors' store buffers:
 * what a thread has stored is seen by the others some time later, and by then it may have read on.
 * A read-modify-write waits until all that its own thread has stored is there. `make model` has
 * spin search all interleavings:
 *
 *  - one thread at a time has the mutex;
 *  - nobody misses a release: when nothing moves any more, everybody has had it.
 *
 * With MISTAKE it must find an error:
 *
 *  1. a waiter has no barrier executed;
 *  2. it registers only when it has found the mutex taken;
 *  3. the owner notifies without the lot's mutex in between;
 *  4. a waiter for another mutex overwrites what the lot's word says of the first one's;
 *  5. a waiter that leaves says that nobody waits.
 *
 * With EXCHANGES, the release is a read-modify-write, and nobody has a barrier executed: the mutex
 * where the kernel has none.
 *
 * The attempts before the wait are one here, at any time. Two mutexes share the lot. Threads with
 * an even number take the first one; the others take the second, or with ALTERNATING both in turn.
 */
#ifndef MISTAKE
#define MISTAKE 0
#endif
#ifndef THREADS
#define THREADS 3
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

#ifndef MUTEXES
#define MUTEXES 2
#endif
#define NOTHING 255
#define SEVERAL 254

bool taken[MUTEXES];    /* as the others see it */
bool released[THREADS]; /* the thread has stored that, and nobody has seen it yet */
byte which[THREADS];    /* the mutex that the thread takes, or has released last */
byte owners[MUTEXES];

/* The lot: its word, its mutex, its waiters in the order in which they came, and who of them sleeps
 * on a condition variable. */
byte word = NOTHING;
bool lotTaken;
byte waiters[THREADS];
byte count;
bool sleeps[THREADS];

inline showStores(t) {
    if
    :: released[t] -> taken[which[t]] = false; released[t] = false
    :: else -> skip
    fi
}

/* What a thread has stored shows sooner or later. */
active proctype StoreBuffers() {
end:
    do
    :: atomic { released[0] -> showStores(0) }
    :: atomic { released[1] -> showStores(1) }
#if THREADS > 2
    :: atomic { released[2] -> showStores(2) }
#endif
    od
}

#define ALL_SHOWN !released[me] /* so a read-modify-write can be executed */

inline enterLot() { atomic { ALL_SHOWN && !lotTaken -> lotTaken = true } }

inline register() {
    atomic {
        ALL_SHOWN -> waiters[count] = me;
        count++;
        if
#if MISTAKE != 4
        :: word != NOTHING && word != mine -> word = SEVERAL
#endif
        :: else -> word = mine
        fi
    }
}

inline leave() {
    atomic {
        ALL_SHOWN -> t = 0;
        do
        :: waiters[t] == me -> break
        :: else -> t++
        od;
        count--;
        do
        :: t < count -> waiters[t] = waiters[t + 1]; t++
        :: else -> break
        od;
        waiters[count] = 0;
        if
        :: count == 0 || MISTAKE == 5 -> word = NOTHING
        :: else ->
            t = 1;
            word = which[waiters[0]];
            do
            :: t < count && which[waiters[t]] != word -> word = SEVERAL; break
            :: t < count && which[waiters[t]] == word -> t++
            :: else -> break
            od
        fi;
        t = 0
    }
}

inline lockContended() {
    enterLot();
#if MISTAKE != 2
    register();
#endif
#if MISTAKE != 1 && !defined(EXCHANGES)
    t = 0;
    do
    :: t < THREADS -> atomic { showStores(t); t++ } /* one processor after another */
    :: else -> t = 0; break
    od;
#endif
    do
    :: atomic { ALL_SHOWN && !taken[mine] -> taken[mine] = true; break }
    :: atomic { ALL_SHOWN && taken[mine] -> skip };
#if MISTAKE == 2
        register();
#endif
        atomic { sleeps[me] = true; lotTaken = false };
        atomic { !sleeps[me] && !lotTaken -> lotTaken = true };
#if MISTAKE == 2
        leave()
#endif
    od;
#if MISTAKE != 2
    leave();
#endif
    lotTaken = false
}

/* notify_one(), which wakes the first that waits for this mutex. */
inline notify() {
    atomic {
        ALL_SHOWN -> t = 0;
        do
        :: t < count && which[waiters[t]] == mine -> sleeps[waiters[t]] = false; break
        :: t < count && which[waiters[t]] != mine -> t++
        :: else -> break
        od;
        t = 0
    }
}

inline unlock() {
#ifdef EXCHANGES
    taken[mine] = false;
#else
    released[me] = true;
#endif
    if
    :: word == mine || word == SEVERAL ->
#if MISTAKE == 3
        notify()
#else
        enterLot();
        notify();
        lotTaken = false
#endif
    :: else -> skip
    fi
}

proctype Thread(byte me) {
    byte round;
    byte t;
    byte mine;
    do
    :: round < ROUNDS ->
        atomic {
            ALL_SHOWN; /* the store is known by its mutex */
#ifdef ALTERNATING
            mine = (me + round) % MUTEXES;
#else
            mine = me % MUTEXES;
#endif
            which[me] = mine
        };
        if
        :: atomic { ALL_SHOWN && !taken[mine] -> taken[mine] = true }
        :: lockContended()
        fi;
        owners[mine]++;
        assert(owners[mine] == 1);
        owners[mine]--;
        unlock();
        round++
    :: else -> break
    od
}

init {
    byte i;
    atomic {
        do
        :: i < THREADS -> run Thread(i); i++
        :: else -> break
        od
    }
}
