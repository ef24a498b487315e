/* Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
 *
 * An entry whose owner extends it, with no lock, while a turn takes its slot (lib/tokio/entry.hpp).
 *
 *     spin -run -safety extension.pml
 *
 * Claims: an extension is never lost. The entry never fires before the deadline that the last reset
 * has returned for; and when both have ended, it has fired, or lies in a slot that starts no later
 * than its deadline. Behaviours: T17, T20.
 */

#define IDLE    255
#define PENDING 254
#define FIRED   253
#define LAST    6 /* the last tick of the turn */
#define EXTENSIONS 3

byte state = 1;      /* the atomic word: a due tick or a reserved value */
byte registered = 1; /* guarded by lock */
bool inSlot = true;  /* guarded by lock */
bool lock = false;
byte asked = 1;      /* ghost: the last deadline that a reset has returned for */
bool busy = false;   /* ghost: a reset is going on */
byte firings = 0;    /* ghost */

inline acquire() { atomic { !lock -> lock = true } }
inline release() { lock = false }

/* Entry::extend, or else Driver::reset under the lock. Ticks only grow here. */
proctype Owner() {
    byte due;
    byte next;
    byte count = 0;
    do
    :: count < EXTENSIONS ->
        count++;
        select (next : 1 .. 5);
        if
        :: next < asked -> next = asked
        :: else
        fi;
        busy = true;
        due = state;
retry:
        if
        :: due <= next ->
            atomic {
                if
                :: state == due -> state = next; asked = next; busy = false; goto extended
                :: else -> due = state
                fi
            }
            goto retry
        :: else
        fi;
        /* reserved: the slow path */
        acquire();
        inSlot = true;
        registered = next;
        atomic { state = next; asked = next; busy = false }
        release();
extended:
        skip
    :: else -> break
    od
}

/* Wheel::takeExpired and Driver::turn, tick by tick. */
proctype Turn() {
    byte now = 0;
    byte due;
    do
    :: now < LAST ->
        now++;
        acquire();
        if
        :: inSlot && registered <= now ->
            inSlot = false;
            due = state;
again:
            if
            :: due <= now ->
                atomic {
                    if
                    :: state == due -> state = PENDING
                    :: else -> due = state; goto again
                    fi
                }
                assert(asked <= now || busy); /* not before what a reset has returned for */
                state = FIRED;
                firings++
            :: else ->
                registered = due;
                inSlot = true
            fi
        :: else
        fi;
        release()
    :: else -> break
    od
}

init {
    pid turn;
    atomic { run Owner(); run Turn() }
    (_nr_pr == 1);
    /* Nothing is lost: it has fired, or it waits in a slot that comes in time. */
    assert(state != PENDING && state != IDLE);
    assert(state == FIRED || (inSlot && registered <= state && state == asked));
    assert(firings >= 1 || state != FIRED)
}
