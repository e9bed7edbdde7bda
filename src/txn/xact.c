/*
 * xact.c
 *	  What happens at the ends of transactions and subtransactions.
 *
 * Answers "when are changes sent, when are they forgotten?": sent at
 * PRE_COMMIT (the last moment an error can still undo the local transaction),
 * forgotten at every end.  Nothing throws at COMMIT or ABORT.
 */
#include "postgres.h"

#include "access/xact.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "storage/proc.h"
#include "utils/timeout.h"
#include "utils/timestamp.h"

#include "remote/session.h"
#include "txn/buffer.h"
#include "txn/flush.h"
#include "txn/repair.h"
#include "txn/xact.h"

/*
 * PostgreSQL disarms statement_timeout before it commits, for its own commits
 * are short.  Ours talks to the store, so it gets what is left of the time.
 * True when it must be disarmed again.
 */
static bool
arm_statement_timeout(void)
{
	if (StatementTimeout <= 0 || get_timeout_active(STATEMENT_TIMEOUT))
		return false;
	enable_timeout_at(STATEMENT_TIMEOUT,
					  TimestampTzPlusMilliseconds(GetCurrentStatementStartTimestamp(),
												  StatementTimeout));
	return true;
}

/*
 * Sends the changes.  What is sent cannot be taken back: a cancel that comes too
 * late to stop it must not make the commit look like a failure.  (In a procedure
 * it stops what comes after the commit.)
 */
static void
send_changes(void)
{
	bool		armed = arm_statement_timeout();

	itable_flush();
	if (armed)
		disable_timeout(STATEMENT_TIMEOUT, false);
	if (!SPI_inside_nonatomic_context())
		QueryCancelPending = false;
}

static void
transaction_ends(XactEvent event, void *arg)
{
	switch (event)
	{
		case XACT_EVENT_PRE_COMMIT:
			if (!itable_buffer_is_empty())
				send_changes();
			itable_repairs_run();
			break;
		case XACT_EVENT_PRE_PREPARE:
			if (!itable_buffer_is_empty())
				ereport(ERROR,
						(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						 errmsg("cannot PREPARE a transaction that has written to itable_fdw foreign tables")));
			break;
		case XACT_EVENT_COMMIT:
		case XACT_EVENT_ABORT:
		case XACT_EVENT_PREPARE:
			itable_buffer_reset();
			itable_repairs_reset();
			itable_sessions_end_transaction();
			break;
		default:
			break;
	}
}

static void
subtransaction_ends(SubXactEvent event, SubTransactionId mine,
					SubTransactionId parent, void *arg)
{
	if (event == SUBXACT_EVENT_ABORT_SUB)
		itable_buffer_rollback_to(mine);
}

void
itable_xact_init(void)
{
	RegisterXactCallback(transaction_ends, NULL);
	RegisterSubXactCallback(subtransaction_ends, NULL);
}
