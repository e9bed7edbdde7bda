/*
 * claim.h
 *	  What a conductor must know of claims, the entries of unique indexes.
 */
#ifndef TMODEL_CLAIM_H
#define TMODEL_CLAIM_H

#include "protocol.h"

/*
 * Claims are taken all at once, in the hope that nobody else is at them.  When
 * a request asks for a pause, all machines of a transaction must turn to taking
 * them in order: each gives up what it has made, and then asks for one claim at
 * a time; the conductor serves the machine whose claim is the lowest.  So none
 * holds a claim while it waits for a lower one, and nobody waits for ever.
 */
extern void tmodel_machine_order_claims(tmodel_machine *machine);

/* The claim whose turn it is, in that mode; NULL: none. */
extern const tmodel_entity *tmodel_machine_turn(const tmodel_machine *machine,
												tmodel_span *table);

/*
 * One transaction takes a key from one fact and gives it to another: the heir
 * takes the claim over between the donor's commit point and its own, so that no
 * two facts ever have the key.  Until then it asks for nothing in COMMIT.  To
 * be said before any request of either is answered; there must be no circle.
 * False: they do not pass on that claim.
 */
extern bool tmodel_machine_inherit(tmodel_machine *heir, tmodel_machine *donor,
								   tmodel_span table,
								   const tmodel_entity *claim);

/*
 * Is it decided that nothing will be changed, though requests under way
 * are still to be answered?  The verdict follows with the last of them.
 */
extern bool tmodel_machine_is_failing(const tmodel_machine *machine);

/* Does one of its requests wait for what others are at? */
extern bool tmodel_machine_pauses(const tmodel_machine *machine);

/* Goes on if it waited, and its donors have committed. */
extern void tmodel_machine_resume(tmodel_machine *heir);

/*
 * The claim that ended the machine with DUPLICATE or LOST_RACE: the entry it
 * wanted, and of which index; NULL where it was the fact itself.  A REFRESH
 * leaves such a claim out, and ends COMMITTED.
 */
extern const tmodel_entity *tmodel_machine_refused(const tmodel_machine *machine,
												   const tmodel_index_change **index);

#endif							/* TMODEL_CLAIM_H */
