/*
 * fuzz_batch.c
 *	  Fuzz target: take a multipart body apart.
 *
 * Every body a Command points to must lie within what was given, and every
 * good Command must be of a kind a batch may hold.
 */
#include <stdlib.h>

#include "batch.h"

int			LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Arena		a = {0};
	Batch		b;
	Span		body = {(const char *) data, size};

	if (batch_parse(&a, "multipart/mixed; boundary=b", body, "account",
					LEVEL_MINIMAL, &b) == ERR_NONE)
	{
		for (int i = 0; i < b.ncommands; i++)
		{
			const Command *cmd = &b.commands[i];

			if (cmd->body.n > 0 && (cmd->body.p < body.p ||
									cmd->body.p + cmd->body.n >
									body.p + body.n))
				abort();
			if (!command_is_write(cmd->op) && b.ncommands != 1)
				abort();
		}
	}
	arena_free(&a);
	return 0;
}
