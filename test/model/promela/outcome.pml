/*
 * outcome.pml: a reply that was lost, and what the writer may say about it.
 *
 * One fact, no entries (index.pml has those).  WRITERS clients each have one
 * change with a write id of its own.  A conditional request may be applied and
 * answered, applied without an answer, or still be on its way and be applied at
 * any later time, as long as its ETag is the present one.  What is asserted:
 *   G5  an UPDATE or DELETE is applied to the contents that were read
 *   G6  a change is applied at most once; who is told "committed" has been
 *       applied (a DELETE: the fact is gone); who is told of a clean failure
 *       (40001, 23505) never is, also not by a copy that comes later.
 *       "Doubtful" (08007) may always be said once a reply was lost.
 *
 * ETags are modelled as in index.pml: a bit for everybody who knows the present
 * one.  A request on its way is somebody, too.  The list of write ids in a fact
 * holds MAXIDS; the code's holds 4, fewer mean more histories.
 *
 * Broken on purpose:
 *   NOIDS       no write ids: a mismatch after a lost reply is called a conflict
 *   CONTENTS    a fact with the own contents counts as the own success
 *   NOPROOF     not finding the own id counts as proof that nothing was applied
 *   KEEPSTUBID  a stub's write id is carried over into the fact that replaces it
 *   BLINDRETRY  after a mismatch the change is sent again with the newer ETag
 */
#ifndef WRITERS
#define WRITERS 2
#endif
#define MAXIDS 2

#define ABSENT 0
#define STUB 1
#define LIVE 2

#define INSERT 1
#define UPDATE 2
#define DELETE 3

/* verdicts */
#define NONE 0
#define COMMITTED 1
#define CLEAN 2				/* failed, nothing applied */
#define DOUBTFUL 3

/* the fact: what it is, its contents, its write ids (0: none), newest first */
byte fact = ABSENT;
bit contents;
byte newest, older;
byte held;					/* bit i: writer i; bit 4 + i: its request */

/* each writer's change; what is on its way; what became of it, what it said */
byte kind[WRITERS];
bit wants[WRITERS], found[WRITERS];
bit underway[WRITERS];		/* a commit has left and may not have arrived */
bit stubunderway[WRITERS];
bit applied[WRITERS];
byte verdict[WRITERS];

#define ID(i) ((i) + 1)
#define WRITER(i) (1 << (i))
#define COPY(i) (16 << (i))

inline become(state, c, id1, id2)
{
	/* "older" first: the new list may be made of the present one */
	fact = state; contents = c; older = id2; newest = id1; held = 0
}

/* The commit point of writer i, whose ETag is the present one. */
inline apply(i)
{
	assert(!applied[i]);									/* G6: once */
	assert(verdict[i] != CLEAN);							/* G6: and not after all */
	assert(kind[i] == INSERT || (fact == LIVE && contents == found[i]));	/* G5 */
	applied[i] = 1;
	if
	:: kind[i] == DELETE -> become(ABSENT, 0, 0, 0)
	:: kind[i] == UPDATE -> become(LIVE, wants[i], ID(i), newest)
#ifdef KEEPSTUBID
	:: kind[i] == INSERT -> become(LIVE, wants[i], ID(i), newest)
#else
	:: kind[i] == INSERT -> become(LIVE, wants[i], ID(i), 0)
#endif
	fi
}

inline say(i, what)
{
	assert(what != COMMITTED || applied[i] || (kind[i] == DELETE && fact == ABSENT));
	assert(what != CLEAN || !applied[i]);
	verdict[i] = what
}

#define HAS_ID(i) (fact == LIVE && (newest == ID(i) || older == ID(i)))

#if defined(NOIDS)
#define OWN_SUCCESS(i) false
#elif defined(CONTENTS)
#define OWN_SUCCESS(i) (unknown && fact == LIVE && contents == wants[i])
#else
#define OWN_SUCCESS(i) HAS_ID(i)
#endif

/* See proves_not_applied() in src/model/protocol.c. */
#if defined(NOPROOF) || defined(NOIDS)
#define PROVES_NOT_APPLIED(i) true
#else
#define PROVES_NOT_APPLIED(i) (kind[i] != INSERT && fact == LIVE && \
	(basenewest == 0 -> newest == 0 : (newest == basenewest || older == basenewest)))
#endif

proctype Writer(byte i)
{
	byte basenewest;		/* newest write id of the version to replace */
	bit unknown;			/* a commit's reply was lost */

	atomic {
		if
		:: kind[i] = INSERT; wants[i] = 0
		:: kind[i] = INSERT; wants[i] = 1
		:: fact == LIVE -> kind[i] = UPDATE; wants[i] = 0
		:: fact == LIVE -> kind[i] = UPDATE; wants[i] = 1
		:: fact == LIVE -> kind[i] = DELETE
		fi;
		if
		:: kind[i] == INSERT
		:: kind[i] != INSERT ->
			found[i] = contents; basenewest = newest; held = held | WRITER(i);
			goto commit
		fi
	};

reserve:
	atomic {
		if
		:: fact == ABSENT -> become(STUB, 0, ID(i), 0); held = WRITER(i); goto commit
		:: fact == ABSENT -> become(STUB, 0, ID(i), 0)		/* and no reply */
		:: fact == ABSENT -> stubunderway[i] = 1			/* not yet there */
		:: fact != ABSENT									/* 409 */
		fi
	};
	goto look;

commit:
	atomic {
		if
		:: held & WRITER(i) -> apply(i); say(i, COMMITTED); goto done
		:: held & WRITER(i) -> apply(i); unknown = 1		/* and no reply */
		:: held & WRITER(i) -> underway[i] = 1; held = held | COPY(i); unknown = 1
		:: !(held & WRITER(i))								/* 412, 404 */
		:: !(held & WRITER(i)) -> unknown = 1				/* and no reply */
		fi
	};

	/* decide() of src/model/protocol.c, on what a read finds */
look:
	atomic {
		if
		:: held & WRITER(i) -> goto commit
		:: !(held & WRITER(i)) && OWN_SUCCESS(i) -> say(i, COMMITTED); goto done
		:: !(held & WRITER(i)) && !OWN_SUCCESS(i)
		fi;
		if
		:: fact == ABSENT && kind[i] == DELETE && unknown -> say(i, COMMITTED); goto done
		:: !(fact == ABSENT && kind[i] == DELETE && unknown)
		fi;
#ifdef BLINDRETRY
		if
		:: kind[i] != INSERT && fact == LIVE -> held = held | WRITER(i); goto commit
		:: kind[i] == INSERT || fact != LIVE
		fi;
#endif
		if
		:: unknown && !PROVES_NOT_APPLIED(i) -> say(i, DOUBTFUL); goto done
		:: unknown && PROVES_NOT_APPLIED(i) -> unknown = 0
		:: !unknown
		fi;
		if
		:: kind[i] == INSERT && fact == LIVE -> say(i, CLEAN); goto done	/* 23505 */
		:: kind[i] == INSERT && fact == ABSENT -> goto reserve
		:: kind[i] == INSERT && fact == STUB
		:: kind[i] != INSERT && fact == LIVE && contents == found[i]
		:: kind[i] != INSERT && !(fact == LIVE && contents == found[i]) ->
			say(i, CLEAN); goto done										/* 40001 */
		fi;
		/* from the touches, with the version that is there now */
		basenewest = newest;
		held = held | WRITER(i)
	};
	goto commit;

done:
	atomic {
		/* what can make no difference any more: equal states become one */
		basenewest = 0; unknown = 0; held = held & (255 - WRITER(i));
		if
		:: !(held & COPY(i)) ->
			wants[i] = 0; found[i] = 0; kind[i] = 0;
			underway[i] = 0; applied[i] = 0; verdict[i] = NONE
		:: held & COPY(i)
		fi
	}
}

/* Requests that arrive late; repairs that fence a fact or delete a stub. */
proctype World()
{
	byte i;

	do
	:: atomic {
			i = 0;
			do
			:: i < WRITERS - 1 -> i++
			:: break
			od;
			if
			:: underway[i] && (held & COPY(i)) -> apply(i); underway[i] = 0
			:: stubunderway[i] && fact == ABSENT ->
				become(STUB, 0, ID(i), 0); stubunderway[i] = 0
			:: fact == LIVE -> held = 0
			:: fact == STUB -> become(ABSENT, 0, 0, 0)
			:: skip
			fi;
			i = 0
		}
	od
}

init
{
	byte i;

	atomic {
		if
		:: skip
		:: become(LIVE, 0, 0, 0)
		fi;
		do
		:: i < WRITERS -> run Writer(i); i++
		:: else -> break
		od;
		run World();
		i = 0
	}
}
