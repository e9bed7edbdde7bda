/*
 * fuzz_entity.c
 *	  Fuzz target: a body to an entity, to a blob, and to JSON again.
 *
 * What was written as JSON must be readable and give the same blob.
 */
#include <stdlib.h>

#include "render.h"

int			LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The rendered form, read back, must be the same blob. */
static void
round_trip(Arena *a, const Entity *e, Span blob)
{
	Context		context = {.arena = a,.account = "account",
	.base_url = "http://host/account"};
	Renderer	r = {.context = &context,.level = LEVEL_FULL,
	.table = SPAN("tab")};
	Cursor		row = {SPAN("p"), SPAN("r"), blob};
	Buf			out = {0};
	Entity		again;
	Span		blob2;
	const char *detail = NULL;

	render_entity(&r, &out, &row, true);
	if (entity_from_json(a, (Span) {out.p, out.n}, &again,
						 &detail) != ERR_NONE ||
		entity_encode(a, &again, 2, 1, &blob2) != ERR_NONE ||
		!span_eq(blob, blob2))
		abort();
	buf_free(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Arena		a = {0};
	Entity		e;
	Span		blob;
	const char *detail = NULL;

	if (entity_from_json(&a, (Span) {(const char *) data, size}, &e,
						 &detail) == ERR_NONE &&
		entity_encode(&a, &e, 2, 1, &blob) == ERR_NONE)
		round_trip(&a, &e, blob);
	arena_free(&a);
	return 0;
}
