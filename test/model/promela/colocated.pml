/*
 * colocated.pml: entries in the fact's partition, in the fact's own batch.
 *
 * An entity group transaction is one step.  The entries' operations in it have
 * no condition: the fact's own guards them (src/model/companion.c).  Asserted
 * after every request: exactly the entry that the fact justifies is there, with
 * its contents, so that no flag and no repair is needed.
 *
 * Broken on purpose:
 *   SEPARATE   the entries travel in a batch of their own
 *   UNGUARDED  the fact is written without If-Match
 */
#ifndef WRITERS
#define WRITERS 3
#endif

bit live, fkey, fdata;
byte fheld;
bit there[2], edata[2];

#define CHECK \
	assert(there[0] == (live && fkey == 0) && there[1] == (live && fkey == 1)); \
	assert(!live || edata[fkey] == fdata)

inline companions()
{
	/* delete the old entry, write the new one */
	if
	:: was && (gone || nk != k) -> there[k] = 0; edata[k] = 0
	:: !(was && (gone || nk != k))
	fi;
	if
	:: !gone -> there[nk] = 1; edata[nk] = nd
	:: gone
	fi
}

proctype Writer(byte me)
{
	bit was, k;				/* F0 */
	bit gone, nk, nd;		/* F1 */

next:
	atomic {
		was = live; k = fkey; fheld = fheld | me;
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
	if
	:: goto over											/* dies */
	:: atomic {
		if
#ifdef UNGUARDED
		:: true ->
#else
		:: (fheld & me) && was == live ->
#endif
			live = !gone; fkey = !gone && nk; fdata = !gone && nd; fheld = 0;
#ifndef SEPARATE
			companions();
			CHECK
#endif
#ifndef UNGUARDED
		:: !((fheld & me) && was == live) -> goto over		/* 40001, 23505 */
#endif
		fi
	}
	fi;
#ifdef SEPARATE
	if
	:: goto over
	:: atomic { companions(); CHECK }
	fi;
#endif
over:
	atomic { fheld = fheld & (255 - me); was = 0; k = 0; gone = 0; nk = 0; nd = 0 };
	goto next
}

init
{
	byte i;

	atomic {
		do
		:: i < WRITERS -> run Writer(1 << i); i++
		:: else -> break
		od;
		i = 0
	}
}
