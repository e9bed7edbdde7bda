/*
 * unique.pml: two facts that may want the same value of a unique index.
 *
 * The index has one entry for the value, the claim, whose owner is the fact it
 * names.  Asserted after every request:
 *   unique  the facts are not both live with the value
 *   G1      a live fact with the value owns the claim
 *   G2      covering: a verified claim says what its live owner says
 *
 * The phases are those of src/model/claim.c and protocol.c.  Age is left out:
 * an orphan may be taken at once, for safety must not rest on it; giving in
 * (40001) is always possible.  ETags are modelled as in index.pml, one bit for
 * everybody who knows the present one; crashes and late copies alike.
 *
 * COVERING  the claim carries a covered column
 * Broken on purpose:
 *   STEALUNFENCED  another's claim is taken without changing its owner's ETag
 *   CLAIMEXIST     the own claim is not touched when it is there already
 *   CLAIMLATE      the commit point does not wait for the claim
 *   RELEASEANY     the claim is deleted without If-Match
 *   UNDOTAKEN      a failed writer gives up a claim that was its fact's before
 *   OWNERFIRST     the owner is read before the claim
 *   NOFENCE        repair does not change the fact's ETag
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
#ifdef COVERING
#define COVERS 1
#else
#define COVERS 0
#endif

#define ABSENT 0
#define STUB 1
#define LIVE 2

/* the facts: what they are, whether they have the value, a covered column */
byte fact[2];
bit has[2], data[2];
byte fheld[2];

/* the claim: its owner, contents, and whose write it is (0: a dead one's) */
bit there, owner, sure, copied;
byte cheld, writer;

#define OWNED(f) (there && owner == f)
#define CHECK \
	assert(!(has[0] && has[1]));							/* unique */ \
	assert((!has[0] || OWNED(0)) && (!has[1] || OWNED(1)));	/* G1 */ \
	assert(!(there && sure) || (has[owner] && data[owner] == copied))	/* G2 */

/* See index.pml; what is sent must not begin with a choice with "else". */
#define REQUEST(...) if :: goto over :: __VA_ARGS__ fi

/* (spin expands an argument that contains the parameter's name for ever) */
inline become(which, state, h, c)
{
	fact[which] = state; has[which] = h; data[which] = c; fheld[which] = 0
}

#define IS_STILL(f, state) (fact[f] == state && (fheld[f] & me))

inline put_claim(whose, c, who)
{
	there = 1; owner = whose; sure = 0; copied = c; cheld = who; writer = who
}

inline drop_claim()
{
	there = 0; owner = 0; sure = 0; copied = 0; cheld = 0; writer = 0
}

#ifdef RELEASEANY
#define DELETABLE there
#else
#define DELETABLE (there && (cheld & me))
#endif

inline delete_claim()
{
	atomic {
		if
		:: DELETABLE -> drop_claim()
		:: !DELETABLE
		fi;
		CHECK
	}
}

inline verify_claim(c)
{
	atomic {
		if
		:: there && (cheld & me) -> sure = 1; copied = c; cheld = 0; writer = 0
		:: !(there && (cheld & me))
		fi;
		CHECK
	}
}

inline forget()
{
	fheld[0] = fheld[0] & (255 - me);
	fheld[1] = fheld[1] & (255 - me);
	cheld = cheld & (255 - me);
	writer = (writer == me -> 0 : writer)
}

inline read_other()
{
	was = fact[1 - f];
	ox = has[1 - f];
	fheld[1 - f] = fheld[1 - f] | (was != ABSENT -> me : 0)
}

/* What the change does to the claim. */
#define WANTS (nx && (!x || (COVERS && nd != d)))
#define GIVES_UP (x && !nx)

proctype Writer(byte me)
{
	bit f;				/* the fact, and F0, F1 */
	bit x, d, nx, nd;
	bit insert, own;	/* an INSERT; its stub is its own */
	bit made;			/* the claim's version is from this operation's insert
						 * or theft, not a touch of what the fact had */
	byte was;			/* the other fact, when it was read */
	bit ox;				/* and whether it had the value */

next:
	atomic {
		if
		:: f = 0
		:: f = 1
		fi;
		if
		:: nx = 0
		:: nx = 1
		:: nx = 1; nd = COVERS
		fi;
		if
		:: insert = 1
		:: fact[f] == LIVE ->
			x = has[f]; d = data[f]; fheld[f] = fheld[f] | me;
			goto claim
		fi
	};
reserve:
	REQUEST(atomic {
		if
		:: fact[f] == ABSENT -> become(f, STUB, 0, 0); fheld[f] = me; own = 1; goto claim
		:: fact[f] != ABSENT
		fi
	});
look:
	/* stub or commit refused: what is there? */
	atomic {
		own = 0;
		if
		:: insert && fact[f] == LIVE -> goto fail			/* 23505 */
		:: insert && fact[f] == ABSENT -> goto reserve
		:: insert && fact[f] == STUB
		:: !insert && fact[f] == LIVE && has[f] == x && data[f] == d
		:: !insert && !(fact[f] == LIVE && has[f] == x && data[f] == d) -> goto fail	/* 40001 */
		fi;
		fheld[f] = fheld[f] | me
	};

	/* ---- the claim ---- */
claim:
#ifdef CLAIMLATE
	goto commit;
#endif
	if
	:: !WANTS && !GIVES_UP -> goto commit
	:: WANTS && !x && !made -> goto insert_claim
	:: (WANTS && (x || made)) || GIVES_UP
	fi;
read_claim:
#ifdef OWNERFIRST
	read_other();
#endif
	atomic {
		cheld = cheld | (there -> me : 0);
		if
		:: !there && WANTS -> goto insert_claim
		:: !there && GIVES_UP -> goto commit
		:: there && owner == f -> made = made && writer == me
#ifdef UNDOTAKEN
			; made = 1
#endif
			;
			if
			:: GIVES_UP && !COVERS -> goto commit
#ifdef CLAIMEXIST
			:: WANTS || COVERS -> goto commit
#else
			:: WANTS || COVERS -> goto take
#endif
			fi
		:: there && owner != f && GIVES_UP -> cheld = cheld & (255 - me); goto commit
		:: there && owner != f && WANTS
		fi
	};
	/* another's: is it an orphan? */
	atomic {
#ifndef OWNERFIRST
		read_other();
#endif
		if
		:: ox -> goto refused								/* 23505 */
		:: !ox && was == ABSENT -> made = 1; goto take
		:: !ox && was != ABSENT
		fi
	};
	/* the fence: a stub goes, a live fact's counter rises */
#ifndef STEALUNFENCED
	if
	:: goto refused											/* 40001 */
	:: atomic {
		if
		:: IS_STILL(1 - f, STUB) -> become(1 - f, ABSENT, 0, 0)
		:: IS_STILL(1 - f, LIVE) -> fheld[1 - f] = 0
		:: !(fheld[1 - f] & me) -> goto read_claim
		fi;
		made = 1; CHECK
	}
	fi;
#endif
take:
	REQUEST(atomic {
		if
		:: there && (cheld & me) && nx -> put_claim(f, nd, me); CHECK
		:: there && (cheld & me) && !nx -> put_claim(f, d, me); CHECK
		:: !(there && (cheld & me)) -> goto read_claim
		fi
	});
	goto commit;
insert_claim:
	REQUEST(atomic {
		if
		:: !there -> put_claim(f, nd, me); made = 1; CHECK
		:: there -> goto read_claim
		fi
	});

	/* ---- the commit point ---- */
commit:
	if
	:: goto over
	:: goto fail											/* abandoned */
	:: atomic {
		if
		:: insert && IS_STILL(f, STUB) -> become(f, LIVE, nx, nd); CHECK
		:: !insert && IS_STILL(f, LIVE) -> become(f, LIVE, nx, nd); CHECK
#ifndef NODELETE
		:: !insert && !nx && IS_STILL(f, LIVE) -> become(f, ABSENT, 0, 0); CHECK
#endif
		:: !(fheld[f] & me) -> goto look
		fi
	}
	fi;
	if
	:: WANTS && COVERS -> REQUEST(verify_claim(nd))
	:: GIVES_UP -> REQUEST(delete_claim())
	:: !(WANTS && COVERS) && !GIVES_UP
	fi;
	goto over;

	/* ---- failed before the commit point: undo ---- */
refused:
	/* what was claimed in an earlier round has another ETag by now */
	cheld = cheld & (255 - me);
fail:
	if
	:: goto over
	:: insert && own -> atomic {
		if
		:: IS_STILL(f, STUB) -> become(f, ABSENT, 0, 0); made = 1; CHECK
		:: !IS_STILL(f, STUB)
		fi
	}
	:: !(insert && own)
	fi;
	if
	:: made && WANTS -> REQUEST(delete_claim())
	:: !(made && WANTS)
	fi;
over:
	atomic {
		forget();
		f = 0; x = 0; d = 0; nx = 0; nd = 0; insert = 0; own = 0; made = 0;
		was = ABSENT; ox = 0
	};
	goto next
}

/* A reader's repair, itable_repair_index: the claim first, then its owner. */
proctype Repairer(byte me)
{
	bit f;
	byte was;
	bit wx, wd;

next:
	atomic { there && !sure -> cheld = cheld | me; f = owner };
	d_step {
		was = fact[f]; wx = has[f]; wd = data[f];
		fheld[f] = fheld[f] | (was != ABSENT -> me : 0)
	};
	if
	:: was == ABSENT -> goto settle
	:: was == LIVE && wx && !COVERS -> goto over
	:: was == STUB || (was == LIVE && !(wx && !COVERS)) -> skip
	fi;
#ifndef NOFENCE
	REQUEST(atomic {
		if
		:: IS_STILL(f, STUB) -> become(f, ABSENT, 0, 0); CHECK
		:: IS_STILL(f, LIVE) -> fheld[f] = 0
		:: !(fheld[f] & me) -> goto over
		fi
	});
#endif
settle:
	if
	:: goto over
	:: was == LIVE && wx -> verify_claim(wd)
	:: !(was == LIVE && wx) -> delete_claim()
	fi;
over:
	atomic { forget(); f = 0; was = ABSENT; wx = 0; wd = 0 };
	goto next
}

/* Late copies of inserts: they need absence, and so may come at any time. */
proctype Stray()
{
	do
	:: atomic { !there -> put_claim(0, 0, 0); CHECK }
	:: atomic { !there -> put_claim(1, 0, 0); CHECK }
	:: atomic { !there && COVERS -> put_claim(0, 1, 0); CHECK }
	:: atomic { fact[0] == ABSENT -> become(0, STUB, 0, 0); CHECK }
	:: atomic { fact[1] == ABSENT -> become(1, STUB, 0, 0); CHECK }
	od
}

init
{
	byte i;

	atomic {
		if
		:: skip
		:: become(0, LIVE, 0, 0); become(1, LIVE, 0, 0)
		:: become(0, LIVE, 1, 0); put_claim(0, 0, 0); sure = COVERS
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
