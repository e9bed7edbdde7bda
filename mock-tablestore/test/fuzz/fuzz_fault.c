/*
 * fuzz_fault.c
 *	  Fuzz target: fault rules from JSON, printed back.
 */
#include "fault.h"

int			LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Arena		a = {0};
	Buf			out = {0};

	if (fault_add(&a, (Span) {(const char *) data, size}) == NULL)
	{
		fault_match(CLASS_QUERY, SPAN("tab"), NULL);
		fault_print(&out);
		fault_clear();
	}
	buf_free(&out);
	arena_free(&a);
	return 0;
}
