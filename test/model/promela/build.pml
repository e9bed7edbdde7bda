/*
 * build.pml: an index comes and goes while two servers write the fact.
 *
 * The catalog in the store says in which state the index is.  A server believes
 * what it read for one lease; then it reads again before it commits anything.
 * One session moves the index on, each step a conditional update, and waits two
 * leases where the next step would be wrong for somebody who has not noticed
 * (src/exec/index_steps.c, src/remote/catalog_rules.c).  Asserted, whenever any
 * server may use the index:
 *   G1  the fact has its entry     G2  no verified entry contradicts the fact
 * and at the end, that nobody touches the table after it was deleted.
 *
 * There is no clock: a lease may end at any time ("fresh" falls), and the wait
 * ends when no server believes in an older state (the first lease is over) and
 * no commit that left under such a belief is on its way (the second is).  That
 * the second lease suffices for a request to arrive or die is an assumption on
 * time, the only one in these models.
 *
 * One fact with two key values (facts do not meet in an index), UPDATEs only,
 * the requests of one phase at once: index.pml has the rest.  ETags as there.  A
 * backfill that was killed begins again.  WRITERS of the two servers write, both
 * look things up.
 *
 * POINTER  a pointer index: nothing is verified, the backfill does not fence
 * Broken on purpose:
 *   NOLEASE      a writer does not look at the catalog before its commit
 *   NOWAIT       the steps follow each other at once
 *   ONELEASE     the wait does not cover requests on their way
 *   STALEPLAN    a transaction that has not touched may commit one step later
 *   VERIFYEARLY  writers verify entries in state REGISTERED
 *   NODEPRECATE  from READABLE to DROPPING at once
 */
#ifndef WRITERS
#define WRITERS 1
#endif

#define UNLISTED 0
#define REGISTERED 1
#define BUILDING 2
#define READABLE 3
#define DEPRECATED 4
#define DROPPING 5

byte state = UNLISTED;		/* in the store's catalog */
byte known[2];				/* what each server has read of it */
bit fresh[2];				/* within the lease */
bit onway[2];				/* a commit has left and not arrived */
bit late[2];				/* under an older state than the present */

/* the live fact's key; entries by key value; who holds the present ETags */
bit fkey;
byte fheld;
bit there[2], sure[2];
byte eheld[2];
bit gone;					/* the store's table, in the end */

#define BUILDER 4			/* servers: 1, 2 */

#define MAINTAINED(s) (s >= REGISTERED && s <= DEPRECATED)
#if defined(POINTER)
#define MAY_VERIFY(s) false
#elif defined(VERIFYEARLY)
#define MAY_VERIFY(s) MAINTAINED(s)
#else
#define MAY_VERIFY(s) (s >= BUILDING && s <= DEPRECATED)
#endif

/* itable_check_readable(): what is DEPRECATED is read again before use */
#define USABLE(i) (fresh[i] && (known[i] == READABLE || \
	(known[i] == DEPRECATED && state == DEPRECATED)))
#define CHECK \
	assert(!(USABLE(0) || USABLE(1)) || there[fkey]);		/* G1 */ \
	assert(!(USABLE(0) || USABLE(1)) || !(there[1 - fkey] && sure[1 - fkey]))	/* G2 */

/* itable_moved_index(): what was not touched must not be there to touch; what
 * was may have moved by one step */
#if defined(NOLEASE)
#define MAY_COMMIT(i) true
#elif defined(STALEPLAN)
#define MAY_COMMIT(i) (fresh[i] && known[i] - plan <= 1)
#else
#define MAY_COMMIT(i) (fresh[i] && \
	(MAINTAINED(plan) -> known[i] - plan <= 1 : !MAINTAINED(known[i])))
#endif

inline touch(me, k)
{
	atomic { assert(!gone); there[k] = 1; sure[k] = 0; eheld[k] = me; CHECK }
}

inline verify(me, k)
{
	atomic {
		if
		:: there[k] && (eheld[k] & me) -> sure[k] = 1; eheld[k] = 0
		:: !(there[k] && (eheld[k] & me))
		fi;
		CHECK
	}
}

inline read_catalog()
{
	atomic { !fresh[i] || known[i] != state -> known[i] = state; fresh[i] = 1; CHECK }
}

/* what was known does not matter any more */
inline lease_ends()
{
	atomic { fresh[i] -> fresh[i] = 0; known[i] = UNLISTED }
}

/* A server's transactions, and its lease. */
proctype Server(byte i; byte me; bit writes)
{
	byte plan;				/* the state the transaction acts on */
	bit k, nk;

next:
	if
	:: read_catalog(); goto next
	:: lease_ends(); goto next
	:: atomic {
			writes && fresh[i] -> plan = known[i];
			k = fkey; fheld = fheld | me;
			if
			:: nk = 0
			:: nk = 1
			fi
		}
	fi;
	if
	:: MAINTAINED(plan) && nk != k -> atomic { touch(me, k); touch(me, nk) }
	:: !(MAINTAINED(plan) && nk != k)
	fi;
	/* the check before the commit point; the lease may end right after it */
	do
	:: goto over
	:: lease_ends()
	:: read_catalog()
	:: atomic { MAY_COMMIT(i) -> onway[i] = 1; late[i] = (known[i] != state); break }
	od;
	/* on its way; meanwhile the lease ends, others of this server read anew */
	do
	:: lease_ends()
	:: read_catalog()
	:: break
	od;
	atomic {
		onway[i] = 0; late[i] = 0;
		if
		:: fheld & me -> fkey = nk; fheld = 0; CHECK
		:: !(fheld & me) -> goto over						/* 40001 */
		fi
	};
	if
	:: goto over
	:: MAINTAINED(plan) && nk != k -> atomic {
			if
			:: MAY_VERIFY(plan) -> verify(me, nk)
			:: !MAY_VERIFY(plan)
			fi;
			if
			:: there[k] && (eheld[k] & me) -> there[k] = 0; sure[k] = 0; eheld[k] = 0
			:: !(there[k] && (eheld[k] & me))
			fi;
			CHECK
		}
	:: !(MAINTAINED(plan) && nk != k)
	fi;
over:
	atomic {
		plan = 0; k = 0; nk = 0;
		fheld = fheld & (255 - me);
		eheld[0] = eheld[0] & (255 - me); eheld[1] = eheld[1] & (255 - me)
	};
	goto next
}

#define KNOWS(i) (known[i] == state || !fresh[i])
#ifdef ONELEASE
#define ARRIVED(i) true
#else
#define ARRIVED(i) (!late[i])
#endif

inline wait_two_leases()
{
#ifndef NOWAIT
	(KNOWS(0) && KNOWS(1) && ARRIVED(0) && ARRIVED(1))
#else
	skip
#endif
}

inline step(to)
{
	atomic { state = to; late[0] = onway[0]; late[1] = onway[1]; CHECK }
}

proctype Builder()
{
	bit k;

	step(REGISTERED);
	wait_two_leases();
	step(BUILDING);
backfill:
	/* a REFRESH: touch, fence, verify; begun again when it lost the race */
	atomic { k = fkey; fheld = fheld | BUILDER };
	touch(BUILDER, k);
#ifdef POINTER
	if
	:: goto forget
	:: goto built
	fi;
#endif
	if
	:: goto forget										/* killed, and resumed */
	:: atomic {
			if
			:: fheld & BUILDER -> fheld = 0
			:: !(fheld & BUILDER) -> goto forget
			fi
		}
	fi;
	verify(BUILDER, k);
	goto built;
forget:
	atomic {
		fheld = fheld & (255 - BUILDER);
		eheld[0] = eheld[0] & (255 - BUILDER); eheld[1] = eheld[1] & (255 - BUILDER)
	};
	goto backfill;
built:
	atomic { k = 0; eheld[0] = eheld[0] & (255 - BUILDER); eheld[1] = eheld[1] & (255 - BUILDER) };
	step(READABLE);
#ifndef NODEPRECATE
	step(DEPRECATED);
	wait_two_leases();
#endif
	step(DROPPING);
	wait_two_leases();
	/* the store's table goes: nobody touches it any more */
	gone = 1
}

init
{
	atomic { run Server(0, 1, 1); run Server(1, 2, WRITERS > 1); run Builder() }
}
