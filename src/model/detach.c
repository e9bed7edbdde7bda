/*
 * detach.c
 *	  Machines without the contents of their changes.
 *
 * Answers "what must a machine know while it waits?": keys, ETags, and the
 * reserved properties of the version that is replaced.  Easy to break: entries
 * are known by their place among the change's, so a change that is made again
 * must have them in the same order.
 */
#include "detach.h"
#include "protocol_int.h"

#include <string.h>

/* Copies a text to *at, which moves on. */
static tmodel_span
put_span(char **at, tmodel_span text)
{
	tmodel_span copy = {*at, text.len};

	if (text.len > 0)
		memcpy(*at, text.data, text.len);
	*at += text.len;
	return copy;
}

/* The version to replace, without what only its contents would tell. */
static const tmodel_entity *
keep_reserved(tmodel_arena *arena, const tmodel_entity *base)
{
	tmodel_entity *kept = tmodel_alloc(arena, sizeof(*kept));
	size_t		n = 0;

	for (int i = 0; i < base->nproperties; i++)
		n += tmodel_is_reserved(base->properties[i].name);
	if (kept == NULL)
		return NULL;
	*kept = *base;
	kept->nproperties = 0;
	kept->properties = tmodel_alloc(arena, n * sizeof(tmodel_property));
	for (int i = 0; i < base->nproperties && kept->properties != NULL; i++)
	{
		const tmodel_property *property = &base->properties[i];
		tmodel_property *copy = &kept->properties[kept->nproperties];

		if (!tmodel_is_reserved(property->name))
			continue;
		copy->name = tmodel_span_copy(arena, property->name);
		copy->value = tmodel_value_copy(arena, &property->value);
		kept->nproperties++;
	}
	return arena->failed ? NULL : kept;
}

/* Copies what a machine must know without its change's contents. */
static bool
keep_keys(tmodel_machine *machine)
{
	size_t		bytes = 0;
	char	   *at;

	for (int i = 0; i < machine->nentries; i++)
		bytes += machine->entries[i].partition_key.len +
			machine->entries[i].row_key.len;
	at = tmodel_alloc(machine->arena, bytes);
	if (at == NULL)
		return false;
	for (int i = 0; i < machine->nentries; i++)
	{
		entry_work *work = &machine->entries[i];

		work->partition_key = put_span(&at, work->partition_key);
		work->row_key = put_span(&at, work->row_key);
	}
	if (machine->base != NULL && machine->base == machine->change->old_fact)
		machine->base = keep_reserved(machine->arena, machine->base);
	return !machine->arena->failed;
}

bool
tmodel_machine_detach(tmodel_machine *machine, const tmodel_change *header)
{
	if (!machine->independent && !keep_keys(machine))
		return false;
	machine->independent = true;
	machine->change = header;
	return true;
}

void
tmodel_machine_attach(tmodel_machine *machine, const tmodel_change *change)
{
	machine->change = change;
}

tmodel_contents
tmodel_machine_needs(const tmodel_machine *machine, int slot)
{
	int			at = slot - machine->first_slot;
	const task *asked;

	if (at < 0 || at >= machine->ntasks)
		return TMODEL_NEEDS_KEYS;
	asked = &machine->tasks[at];
	if (asked->kind == TASK_READ_FACT)
		return TMODEL_NEEDS_FACTS;
	if (asked->action == TMODEL_GET || asked->action == TMODEL_DELETE)
		return TMODEL_NEEDS_KEYS;
	return asked->kind == TASK_COMMIT ? TMODEL_NEEDS_FACTS :
		asked->kind == TASK_TOUCH ? TMODEL_NEEDS_ENTRIES : TMODEL_NEEDS_KEYS;
}

bool
tmodel_machine_next(const tmodel_machine *machine, int *slot,
					tmodel_step_request *request, tmodel_entity *keys)
{
	int			at = *slot > machine->first_slot ?
		*slot - machine->first_slot : 0;

	while (at < machine->ntasks && machine->tasks[at].answered)
		at++;
	if (at >= machine->ntasks)
		return false;
	*slot = machine->first_slot + at;
	tmodel_p_request(machine, &machine->tasks[at], request, keys);
	request->slot = *slot;
	return true;
}
