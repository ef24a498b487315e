/* Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
 *
 * A Mutex (lib/base/mutex.cpp) whose release is a plain store, with the processors' store buffers:
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
 *  2. it says that it waits only when it has found the mutex taken;
 *  3. the owner notifies without the room's mutex in between.
 *
 * With EXCHANGES, the release is a read-modify-write, and nobody has a barrier executed: the mutex
 * where the kernel has none.
 *
 * The attempts before the wait are one here, at any time. A room that two mutexes share wakes
 * threads for nothing, which a wait has to expect anyway; so here is one mutex only.
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

bool taken;             /* as the others see it */
bool released[THREADS]; /* the thread has stored that, and nobody has seen it yet */
byte waiters;
byte owners;

/* The room: its mutex, and who waits on its condition variable. */
bool roomTaken;
bool waiting[THREADS];

inline showStores(t) {
    if
    :: released[t] -> taken = false; released[t] = false
    :: else -> skip
    fi
}

/* What a thread has stored shows sooner or later. */
active proctype StoreBuffers() {
    byte t;
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

inline enterRoom() { atomic { ALL_SHOWN && !roomTaken -> roomTaken = true } }

inline lockContended() {
    enterRoom();
#if MISTAKE != 2
    atomic { ALL_SHOWN -> waiters++ }
#endif
#if MISTAKE != 1 && !defined(EXCHANGES)
    t = 0;
    do
    :: t < THREADS -> atomic { showStores(t); t++ } /* one processor after another */
    :: else -> t = 0; break
    od;
#endif
    do
    :: atomic { ALL_SHOWN && !taken -> taken = true; break }
    :: atomic { ALL_SHOWN && taken -> skip };
#if MISTAKE == 2
        atomic { ALL_SHOWN -> waiters++ };
#endif
        atomic { waiting[me] = true; roomTaken = false };
        atomic { !waiting[me] && !roomTaken -> roomTaken = true }
#if MISTAKE == 2
        waiters--
#endif
    od;
#if MISTAKE != 2
    atomic { ALL_SHOWN -> waiters-- };
#endif
    roomTaken = false
}

inline unlock() {
#ifdef EXCHANGES
    taken = false;
#else
    released[me] = true;
#endif
    if
    :: waiters != 0 ->
#if MISTAKE != 3
        enterRoom();
        roomTaken = false;
#endif
        atomic { /* notify_all() */
            ALL_SHOWN;
            t = 0;
            do
            :: t < THREADS -> waiting[t] = false; t++
            :: else -> t = 0; break
            od
        }
    :: else -> skip
    fi
}

proctype Thread(byte me) {
    byte round;
    byte t;
    do
    :: round < ROUNDS ->
        if
        :: atomic { ALL_SHOWN && !taken -> taken = true }
        :: lockContended()
        fi;
        owners++;
        assert(owners == 1);
        owners--;
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
