/*
 * outbox.pml: queued maintenance catches up, whoever dies.
 *
 * A change writes the fact and an outbox entity in one entity group transaction
 * (one step here).  The outbox entity keeps the index key of the version that
 * was replaced.  Workers take an outbox entity, read the fact, touch the entry
 * it justifies and those of older versions, fence the fact, verify the first and
 * delete the others, and only then delete the outbox entity
 * (src/txn/converge.c; covering, for a pointer index has nothing to verify).  A
 * worker may give up, and may die before any request.  Workers take turns: who
 * has the baton works (src/txn/baton.c), and takes it only if nobody had it since
 * he read the outbox; that of the dead is taken over.
 *
 * While there is an outbox entity the index may be behind.  Asserted after every
 * request: when there is none, the index is complete (G1), no verified entry
 * contradicts the fact (G2), and nothing is left to repair (CLEAN): entries are
 * those of the fact, verified.
 *
 * With OVERTAKE the baton is taken from the living as well, so that several are
 * at the same work: G1 and G2 rest on nobody's clock, only CLEAN does.
 *
 * Queue messages are only a wake-up: here a worker may look at any time.  ETags
 * as in index.pml.  SLOTS bounds the outbox entities at one time.
 *
 * Broken on purpose:
 *   SEPARATE     the outbox entity is written after the fact
 *   OUTBOXFIRST  the outbox entity is written before the fact
 *   DELETEFIRST  a worker deletes the outbox entity before it converges
 *   ONEOUTBOX    one outbox entity for a fact, deleted without If-Match
 *   NOTOUCHOLD   entries of older versions are read, not touched; harmless while
 *                what could not be deleted is looked at again, so not with
 *   UNSETTLED    the outbox entity goes though an entry could not be settled
 *   NOFENCE      entries are verified and deleted without a fence
 *   DELETEANY    entries are deleted without If-Match
 *   NOBATON      workers do not take turns
 *   STALEREAD    the baton is taken whoever had it since the outbox was read
 *   RELEASEFIRST the baton is free before the outbox entity is gone
 */
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef REPAIRERS
#define REPAIRERS 0
#endif
#ifndef SLOTS
#define SLOTS 2
#endif
#ifdef ONEOUTBOX
#undef SLOTS
#define SLOTS 1
#endif

bit live, fkey, fdata;
byte fheld;
bit there[2], sure[2], edata[2];
byte eheld[2];
bit waits[SLOTS];			/* an outbox entity */
byte old[SLOTS];			/* the keys it names, a bit each */
byte oheld[SLOTS];			/* who has read it */
byte baton;				/* whose turn it is, 0: nobody's */
byte bheld;				/* who has read it */

#define DEAD 1

#if SLOTS == 1
#define QUIET (!waits[0])
#else
#define QUIET (!waits[0] && !waits[1])
#endif
#define TRUTHFUL(k) (!(there[k] && sure[k]) || (live && fkey == k && fdata == edata[k]))
#define RIGHT(k) (there[k] == (live && fkey == k) && (!there[k] || sure[k]))
#if defined(OVERTAKE)
#define CLEAN true
#else
#define CLEAN (RIGHT(0) && RIGHT(1))
#endif
#define CHECK \
	assert(!QUIET || CLEAN); \
	assert(!QUIET || !live || there[fkey]);					/* G1 */ \
	assert(!QUIET || (TRUTHFUL(0) && TRUTHFUL(1)))			/* G2 */

#define WRITER 1

inline commit()
{
	live = !gone; fkey = !gone && nk; fdata = !gone && nd; fheld = 0
}

inline ask()
{
	waits[s] = 1; old[s] = (was -> 1 << k : 0); oheld[s] = 0
}

proctype Writer()
{
	bit was, k, gone, nk, nd, s;

next:
	atomic {
		if
		:: !waits[0] -> s = 0
#if SLOTS > 1
		:: !waits[1] -> s = 1
#endif
#ifdef ONEOUTBOX
		:: waits[0] -> s = 0
#endif
		fi;
		was = live; k = fkey; fheld = fheld | WRITER;
		if
		:: was -> gone = 1
		:: gone = 0
		fi;
		if
		:: nk = 0
		:: nk = 1
		fi;
		if
		:: nd = 0
		:: nd = 1
		fi
	};
#ifdef OUTBOXFIRST
	ask();
#endif
	if
	:: goto over
	:: atomic {
		if
		:: (fheld & WRITER) && was == live ->
			commit();
#if !defined(SEPARATE) && !defined(OUTBOXFIRST)
			ask();
#endif
			CHECK
		:: !((fheld & WRITER) && was == live) -> goto over
		fi
	}
	fi;
#ifdef SEPARATE
	ask();
#endif
over:
	atomic { fheld = fheld & (255 - WRITER); was = 0; k = 0; gone = 0; nk = 0; nd = 0; s = 0 };
	goto next
}

#ifdef DELETEANY
#define DELETABLE(k) (there[k])
#else
#define DELETABLE(k) (there[k] && (eheld[k] & me))
#endif

/* An entry of an older version: a verification under way must not survive. */
inline touch_old(k)
{
	if
	:: goto dies
	:: atomic {
		if
		:: (olds & (1 << k)) && !(was && wk == k) ->
#ifdef NOTOUCHOLD
			eheld[k] = eheld[k] | (there[k] -> me : 0)
#else
			there[k] = 1; sure[k] = 0; edata[k] = 0; eheld[k] = me
#endif
			CHECK
		:: !((olds & (1 << k)) && !(was && wk == k))
		fi
	}
	fi
}

inline settle_old(k)
{
	if
	:: goto dies
	:: atomic {
		if
		:: (olds & (1 << k)) && !(was && wk == k) && DELETABLE(k) ->
			there[k] = 0; sure[k] = 0; edata[k] = 0; eheld[k] = 0; CHECK
		:: (olds & (1 << k)) && !(was && wk == k) && !DELETABLE(k) ->
			again = again | there[k]
		:: !((olds & (1 << k)) && !(was && wk == k))
		fi
	}
	fi
}

#if defined(NOBATON)
#define MAY_TAKE true
#elif defined(OVERTAKE)
#define MAY_TAKE (bheld & me)
#elif defined(STALEREAD)
#define MAY_TAKE (baton == 0 || baton == DEAD)
#else
#define MAY_TAKE ((bheld & me) && (baton == 0 || baton == DEAD))
#endif

proctype Worker(byte me)
{
	bit s, was, wk, wd, again;
	byte olds;				/* keys whose entries may be there, a bit each */

next:
	/* the baton first: it tells whether what is read now is still true */
	bheld = bheld | me;
	atomic {
		if
		:: waits[0] -> s = 0
#if SLOTS > 1
		:: waits[1] -> s = 1
#endif
		fi;
		oheld[s] = oheld[s] | me; olds = old[s]
	};
	if
	:: goto over
	:: atomic {
		if
		:: MAY_TAKE -> baton = me; bheld = 0
		:: !(MAY_TAKE) -> goto over
		fi
	}
	fi;
#ifdef DELETEFIRST
	atomic { waits[s] = 0; old[s] = 0; CHECK };
#endif
read:
	atomic { was = live; wk = fkey; wd = fdata; fheld = fheld | (live -> me : 0); again = 0 };
	if
	:: goto dies
	:: goto stops			/* gives up, after whatever it did */
	:: was -> atomic {
			/* the touch; this version, too, is one that was acted on */
			there[wk] = 1; sure[wk] = 0; edata[wk] = wd; eheld[wk] = me;
			olds = olds | (1 << wk); CHECK
		}
	:: !was
	fi;
	touch_old(0);
	touch_old(1);
#ifndef NOFENCE
	/* absence has no ETag; see the fence rule in docs/PROTOCOL.md */
	if
	:: goto dies
	:: atomic {
		if
		:: was && (fheld & me) -> fheld = 0
		:: !was && !live
		:: (was && !(fheld & me)) || (!was && live) -> goto read
		fi
	}
	fi;
#endif
	if
	:: goto dies
	:: was -> atomic {
			if
			:: there[wk] && (eheld[wk] & me) -> sure[wk] = 1; eheld[wk] = 0
			:: !(there[wk] && (eheld[wk] & me)) -> again = 1
			fi;
			CHECK
		}
	:: !was
	fi;
	settle_old(0);
	settle_old(1);
#ifndef UNSETTLED
	if
	:: again -> goto read
	:: !again
	fi;
#endif
#ifdef RELEASEFIRST
	atomic { baton = 0; bheld = 0 };
#endif
#ifndef DELETEFIRST
	if
	:: goto dies
	:: atomic {
		if
#ifdef ONEOUTBOX
		:: true -> waits[s] = 0; old[s] = 0; CHECK
#else
		:: waits[s] && (oheld[s] & me) -> waits[s] = 0; old[s] = 0; CHECK
		:: !(waits[s] && (oheld[s] & me))
#endif
		fi
	}
	fi;
#endif
stops:
	atomic {
		if
		:: baton == me -> baton = 0; bheld = 0
		:: baton != me
		fi;
		goto over
	};
dies:
	/* what is left of the dead can be seen: it does not change any more */
	atomic {
		if
		:: baton == me -> baton = DEAD; bheld = 0
		:: baton != me
		fi
	};
over:
	atomic {
		fheld = fheld & (255 - me); bheld = bheld & (255 - me);
		eheld[0] = eheld[0] & (255 - me); eheld[1] = eheld[1] & (255 - me);
		oheld[0] = oheld[0] & (255 - me);
#if SLOTS > 1
		oheld[1] = oheld[1] & (255 - me);
#endif
		s = 0; was = 0; wk = 0; wd = 0; again = 0; olds = 0
	};
	goto next
}

/*
 * A reader's repair (queries may use a queued index by itable_fdw.allow_queued):
 * the entry first, then its fact.  An INSERT has no stub here, but neither has
 * it touched anything before its commit.
 */
proctype Repairer(byte me)
{
	bit k, was, wk, wd;

next:
	atomic {
		if
		:: there[0] && !sure[0] -> k = 0
		:: there[1] && !sure[1] -> k = 1
		fi;
		eheld[k] = eheld[k] | me
	};
	atomic { was = live; wk = fkey; wd = fdata; fheld = fheld | (live -> me : 0) };
	if
	:: goto over
	:: was -> atomic {
			if
			:: fheld & me -> fheld = 0
			:: !(fheld & me) -> goto over
			fi
		}
	:: !was
	fi;
	if
	:: goto over
	:: was && wk == k -> atomic {
			if
			:: there[k] && (eheld[k] & me) -> sure[k] = 1; edata[k] = wd; eheld[k] = 0
			:: !(there[k] && (eheld[k] & me))
			fi;
			CHECK
		}
	:: !(was && wk == k) -> atomic {
			if
			:: there[k] && (eheld[k] & me) -> there[k] = 0; edata[k] = 0; eheld[k] = 0
			:: !(there[k] && (eheld[k] & me))
			fi;
			CHECK
		}
	fi;
over:
	atomic {
		fheld = fheld & (255 - me);
		eheld[0] = eheld[0] & (255 - me); eheld[1] = eheld[1] & (255 - me);
		k = 0; was = 0; wk = 0; wd = 0
	};
	goto next
}

init
{
	byte i;

	atomic {
		run Writer();
		if
		:: REPAIRERS > 0 -> run Repairer(64)
		:: REPAIRERS == 0
		fi;
		do
		:: i < WORKERS -> run Worker(2 << i); i++
		:: else -> break
		od;
		i = 0
	}
}
