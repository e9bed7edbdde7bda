/*
 * section_clear.h
 *	  Removes the entries of a colocated index from its fact's table.
 */
#ifndef ITABLE_SECTION_CLEAR_H
#define ITABLE_SECTION_CLEAR_H

#include "table/table_def.h"

/*
 * Deletes every entry of the index; the relation may be dropped already.  No
 * writer may know the index any more.  Throws when the store does not obey.
 */
extern void itable_section_clear(itableIndex *index);

#endif							/* ITABLE_SECTION_CLEAR_H */
