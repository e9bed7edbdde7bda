/*
 * index.pml: one fact, an index table with two key values, both kinds of index.
 *
 * What is asserted, after every request of anybody:
 *   G1  a live fact has an entry under its key
 *   G2  a verified entry says what a live fact says (covering indexes)
 * Every lookup rests on one of the two at one moment: an entry that is not there
 * proves that no fact had the key just then, a verified one answers alone, an
 * unverified one sends the reader to the fact, which is the truth.  Readers
 * therefore need no process here.
 *
 * ETags never come back, so an ETag somebody remembers is either the entity's
 * present one or never will be again.  That one bit per actor and entity is all
 * that is modelled: "held" has a bit for each actor whose ETag is the present
 * one; a change of the entity clears the others'.  So there are no counters,
 * the graph is finite, and writers run for ever: every number of operations,
 * one after the other, is covered.
 *
 * A crash before any request leaves what was sent and begins a new life.
 * A delayed copy of a conditional request is one more slow actor that then dies,
 * which is covered; copies of unconditional requests and of stub inserts that
 * arrive at any later time are the process Stray.
 *
 * Parameters: WRITERS, REPAIRERS, STRAY (0 or 1), LIVES (operations of each
 * writer, repairs of each repairer and strays; 0: without end).
 *   POINTER    a pointer index; default is a covering one
 *   TOUCHOLD   pointer: old entries are touched instead of read (bulk changes)
 *   DIRECT     insert_mode 'direct': no stub.  Not safe in general; see below
 *   NODELETE   nobody deletes facts;  AGED: repair leaves entries of absent facts
 *   CHANGESONLY  writers only insert, update and delete: no refresh, no abandon
 * Broken on purpose:
 *   NOFENCE      repair verifies or deletes without changing the fact's ETag
 *   FACTFIRST    the fact before its entries
 *   VERIFYANY    verification without If-Match;  DELETEANY: deletion alike
 *   CHECKEXIST   an entry that is there is not touched
 *   NOTOUCHOLD   covering: the old entry is not un-verified before the commit
 *   COMMITALONE  the fact was only fenced: the commit is sent again alone
 *   FACTBEFORE   repair reads the fact before the entry
 *   UNDOENTRIES  an abandoned INSERT deletes its entries and leaves its stub
 */
#ifndef WRITERS
#define WRITERS 2
#endif
#ifndef REPAIRERS
#define REPAIRERS 1
#endif
#ifndef STRAY
#define STRAY 1
#endif
#ifndef LIVES
#define LIVES 0
#endif
#ifdef POINTER
#define COVERING 0
#else
#define COVERING 1
#endif

#define ABSENT 0
#define STUB 1
#define LIVE 2

/* the fact: what it is, its index key, its covered data, who holds its ETag */
byte fact = ABSENT;
bit fkey, fdata;
byte fheld;

/* the entries, by key value; data as one bit each, verified or not */
bit there[2], sure[2], edata[2];
byte eheld[2];

#define TRUTHFUL(k) (!(there[k] && sure[k]) || (fact == LIVE && fkey == k && fdata == edata[k]))
#define CHECK \
	assert(fact != LIVE || there[fkey]);				/* G1 */ \
	assert(TRUTHFUL(0) && TRUTHFUL(1))					/* G2 */

/*
 * A request, or death before it: what was sent stays, what was known is lost.
 * A request must not begin with a choice that has an "else": that would be the
 * alternative to dying, too, and never be taken.
 */
#define REQUEST(...) if :: goto over :: __VA_ARGS__ fi

#if LIVES > 0
#define LIVING (life < LIVES)
#define LIVED life++
#else
#define LIVING true
#define LIVED skip
#endif

inline forget(me)
{
	fheld = fheld & (255 - me);
	eheld[0] = eheld[0] & (255 - me);
	eheld[1] = eheld[1] & (255 - me)
}

/* Unconditional upsert of an unverified entry: the reply has its ETag. */
inline put(k, d)
{
	there[k] = 1; sure[k] = 0; edata[k] = d; eheld[k] = 0
}

inline touch(me, k, d)
{
	atomic {
#ifdef CHECKEXIST
		if
		:: there[k] -> skip
		:: !there[k] -> put(k, d)
		fi;
#else
		put(k, d);
#endif
		eheld[k] = eheld[k] | me;
		CHECK
	}
}

/* An old entry of a pointer index: only its ETag is wanted. */
inline read_entry(me, k)
{
	d_step { eheld[k] = eheld[k] | (there[k] -> me : 0) }
}

#ifdef VERIFYANY
#define VERIFIABLE(me, k) (there[k])
#else
#define VERIFIABLE(me, k) (there[k] && (eheld[k] & me))
#endif
#ifdef DELETEANY
#define DELETABLE(me, k) (there[k])
#else
#define DELETABLE(me, k) (there[k] && (eheld[k] & me))
#endif

inline verify(me, k, d)
{
	atomic {
		if
		:: VERIFIABLE(me, k) -> sure[k] = 1; edata[k] = d; eheld[k] = 0
		:: !VERIFIABLE(me, k)
		fi;
		CHECK
	}
}

inline remove(me, k)
{
	atomic {
		if
		:: DELETABLE(me, k) -> there[k] = 0; sure[k] = 0; edata[k] = 0; eheld[k] = 0
		:: !DELETABLE(me, k)
		fi;
		CHECK
	}
}

/* For the repairer, which compares what it read with nothing later. */
inline read_fact(me)
{
	d_step {
		was = fact; wkey = fkey; wdata = fdata;
		fheld = fheld | (fact != ABSENT -> me : 0)
	}
}

/* Does the fact have the ETag that "me" remembers? */
#define IS_STILL(state) (fact == state && (fheld & me))

inline become(state, k, d)
{
	fact = state; fkey = k; fdata = d; fheld = 0
}

/* Does an update from (k, d) to (nk, nd) concern the old, the new entry? */
#define MOVES (gone || nk != k)
#define CHANGES_NEW (!gone && (nk != k || (COVERING && nd != d)))

#if defined(POINTER) && !defined(TOUCHOLD)
#define OLD(me) read_entry(me, k)
#elif defined(NOTOUCHOLD)
#define OLD(me) read_entry(me, k)
#else
#define OLD(me) touch(me, k, d)
#endif

/*
 * A client: its operations one after the other.  The labels are the phases of
 * src/model/protocol.c.
 */
proctype Writer(byte me)
{
	bit k, d;			/* F0 */
	bit nk, nd;			/* F1 */
	bit own;			/* the stub is this operation's */
	bit gone;			/* a DELETE */
	byte life;

next:
	/* an INSERT sends its stub unseen; the others have read the fact */
	atomic {
		if
		:: LIVING -> LIVED
		:: !LIVING -> goto done
		fi;
		if
		:: nk = 0
		:: nk = 1
		fi;
		if
		:: nd = 0
		:: nd = 1
		fi;
		if
		:: goto insert
		:: fact == LIVE -> k = fkey; d = fdata; fheld = fheld | me
		fi;
		if
		:: goto touch_update
#ifndef NODELETE
		:: gone = 1; nk = 0; nd = 0; goto touch_update
#endif
#ifndef CHANGESONLY
		:: nk = 0; nd = 0; goto refresh
#endif
		fi
	};

	/* ---- INSERT ---- */
insert:
#ifdef DIRECT
	REQUEST(touch(me, nk, nd));
	REQUEST(atomic {
		if
		:: fact == ABSENT -> become(LIVE, nk, nd); CHECK; goto settle_insert
		:: fact != ABSENT -> goto over				/* 23505 */
		fi
	});
#endif
	REQUEST(atomic {
		if
		:: fact == ABSENT -> become(STUB, 0, 0); fheld = me; own = 1; goto touch_insert
		:: fact != ABSENT
		fi
	});
look_insert:
	/* the stub or the commit was refused: what is there? */
	atomic {
		own = 0;
		if
		:: fact == LIVE -> goto over		/* 23505 */
		:: fact == STUB -> fheld = fheld | me
		:: fact == ABSENT -> goto insert
		fi
	};
touch_insert:
#ifndef FACTFIRST
	REQUEST(touch(me, nk, nd));
#endif
	if
	:: goto over
#ifndef CHANGESONLY
	:: own -> goto abandon
#endif
	:: atomic {
		if
		:: IS_STILL(STUB) -> become(LIVE, nk, nd); CHECK
		:: !IS_STILL(STUB) -> goto look_insert
		fi
	}
	fi;
#ifdef FACTFIRST
	REQUEST(touch(me, nk, nd));
#endif
settle_insert:
#if COVERING
	REQUEST(verify(me, nk, nd));
#endif
	goto over;

	/* Gave up before the commit: the own stub, then what was touched. */
abandon:
#ifndef UNDOENTRIES
	atomic {
		if
		:: IS_STILL(STUB) -> become(ABSENT, 0, 0); CHECK
		:: !IS_STILL(STUB) -> goto over
		fi
	};
#endif
	REQUEST(remove(me, nk));
	goto over;

	/* ---- UPDATE, DELETE ---- */
touch_update:
#ifndef FACTFIRST
	/* requests of one phase travel together: either may be first */
	if
	:: MOVES && CHANGES_NEW ->
		if
		:: goto over
		:: OLD(me); REQUEST(touch(me, nk, nd))
		:: touch(me, nk, nd); REQUEST(OLD(me))
		fi
	:: MOVES && !CHANGES_NEW -> REQUEST(OLD(me))
	:: !MOVES && CHANGES_NEW -> REQUEST(touch(me, nk, nd))
	:: !MOVES && !CHANGES_NEW
	fi;
#endif
commit_update:
	REQUEST(atomic {
		if
		:: IS_STILL(LIVE) -> become((gone -> ABSENT : LIVE), nk, nd); CHECK
		:: !IS_STILL(LIVE) -> goto look_update
		fi
	});
#ifdef FACTFIRST
	if
	:: MOVES -> REQUEST(OLD(me))
	:: !MOVES
	fi;
	if
	:: CHANGES_NEW -> REQUEST(touch(me, nk, nd))
	:: !CHANGES_NEW
	fi;
#endif
	if
	:: COVERING && CHANGES_NEW -> REQUEST(verify(me, nk, nd))
	:: !(COVERING && CHANGES_NEW)
	fi;
	if
	:: MOVES -> REQUEST(remove(me, k))
	:: !MOVES
	fi;
	goto over;

look_update:
	/* refused: the same contents mean that it was only fenced */
	atomic {
		if
		:: fact == LIVE && fkey == k && fdata == d -> fheld = fheld | me
		:: else -> goto over				/* 40001 */
		fi
	};
#ifdef COMMITALONE
	goto commit_update;
#else
	goto touch_update;
#endif

	/* ---- REFRESH: backfill, itable_repair_index ---- */
refresh:
	REQUEST(touch(me, k, d));
#if COVERING
	REQUEST(atomic {
		if
		:: IS_STILL(LIVE) -> fheld = 0
		:: !IS_STILL(LIVE) -> goto over
		fi
	});
	REQUEST(verify(me, k, d));
#endif

over:
	/* nothing that was known is used again: equal states become one */
	atomic { forget(me); k = 0; d = 0; nk = 0; nd = 0; own = 0; gone = 0 };
	goto next;
done:
	skip
}

/* A reader's repair of one unverified entry, whatever its age. */
proctype Repairer(byte me)
{
	bit k;				/* the entry */
	byte was;			/* the fact, as it was read */
	bit wkey, wdata;
	byte life;

next:
#ifdef FACTBEFORE
	read_fact(me);
#endif
	atomic {
		if
		:: LIVING -> LIVED
		:: !LIVING -> goto done
		fi;
		if
		:: there[0] && !sure[0] -> k = 0
		:: there[1] && !sure[1] -> k = 1
#if defined(FACTBEFORE) || LIVES > 0
		:: else -> goto over
#endif
		fi;
		eheld[k] = eheld[k] | me
	};
#ifndef FACTBEFORE
	read_fact(me);
#endif
	if
	:: was == ABSENT ->
#ifdef AGED
		goto over;
#endif
		goto settle
	:: !COVERING && was == LIVE && wkey == k -> goto over
	:: was == STUB || (was == LIVE && (COVERING || wkey != k)) -> skip
	fi;
#ifndef NOFENCE
	/* deletes the stub, or merges a higher fence counter into the fact */
	REQUEST(atomic {
		if
		:: was == STUB && IS_STILL(STUB) -> become(ABSENT, 0, 0); CHECK
		:: was == LIVE && IS_STILL(LIVE) -> fheld = 0
		:: !IS_STILL(was) -> goto over
		fi
	});
#endif
settle:
	if
	:: goto over
	:: was == LIVE && wkey == k -> verify(me, k, wdata)
	:: !(was == LIVE && wkey == k) -> remove(me, k)
	fi;
over:
	atomic { forget(me); k = 0; was = ABSENT; wkey = 0; wdata = 0 };
	goto next;
done:
	skip
}

/* Copies of unconditional requests and of stub inserts that arrive late. */
proctype Stray()
{
	byte life;

	do
	:: LIVING ->
		LIVED;
		if
		:: atomic { put(0, 0); CHECK }
		:: atomic { put(0, 1); CHECK }
		:: atomic { put(1, 0); CHECK }
		:: atomic { put(1, 1); CHECK }
#ifndef DIRECT
		:: atomic { fact == ABSENT -> become(STUB, 0, 0); CHECK }
#endif
		fi
	:: !LIVING -> break
	od
}

init
{
	byte i;

	atomic {
		/* nothing yet; a fact; a fact and what a crash left */
		if
		:: skip
		:: become(LIVE, 0, 0); there[0] = 1; sure[0] = COVERING
		:: become(LIVE, 0, 0); there[0] = 1; there[1] = 1; edata[1] = 1
		fi;
		i = 0;
		do
		:: i < WRITERS -> run Writer(1 << i); i++
		:: else -> break
		od;
		do
		:: i < WRITERS + REPAIRERS -> run Repairer(1 << i); i++
		:: else -> break
		od;
		if
		:: STRAY -> run Stray()
		:: else
		fi;
		i = 0
	}
}
