/*
 * fuzz_filter.c
 *	  Fuzz target: parse a $filter, derive its ranges, match three entities.
 *
 * Besides memory errors it checks the promise of filter_range.c: an entity
 * that matches lies in one of the ranges.
 */
#include <stdlib.h>

#include "filter.h"

int			LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int
compare_keys(Span pk1, Span rk1, Span pk2, Span rk2)
{
	int			c = span_cmp(pk1, pk2);

	return c ? c : span_cmp(rk1, rk2);
}

static void
match_one(Arena *a, const Filter *f, Span pk, Span rk, Span blob)
{
	FilterRow	row = {.pk = pk,.rk = rk,.blob = blob};
	int			n;
	KeyRange   *r = filter_ranges(a, f, &n);

	row.values = arena_alloc(a, sizeof(Value) * (size_t) (f->nslots + 1));
	row.present = arena_alloc(a, sizeof(bool) * (size_t) (f->nslots + 1));
	if (!filter_match(f, &row))
		return;
	for (int i = 0; i < n; i++)
	{
		if (compare_keys(pk, rk, r[i].lo_pk, r[i].lo_rk) >= 0 &&
			(r[i].no_hi ||
			 compare_keys(pk, rk, r[i].hi_pk, r[i].hi_rk) < 0))
			return;
	}
	abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Span		body = SPAN("{\"a\":1,\"b\":\"x\",\"c\":1.5,\"d\":true}");
	Arena		a = {0};
	Filter		f;
	Entity		e;
	Span		blob;
	const char *detail = NULL;

	if (entity_from_json(&a, body, &e, &detail) != ERR_NONE ||
		entity_encode(&a, &e, 0, 1, &blob) != ERR_NONE)
		abort();
	if (filter_parse(&a, (Span) {(const char *) data, size}, &f,
					 &detail) == ERR_NONE)
	{
		match_one(&a, &f, SPAN(""), SPAN(""), blob);
		match_one(&a, &f, SPAN("a"), SPAN("b"), blob);
		match_one(&a, &f, SPAN("b"), SPAN("a"), blob);
	}
	arena_free(&a);
	return 0;
}
