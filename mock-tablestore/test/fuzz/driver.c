/*
 * driver.c
 *	  Runs a fuzz target without libFuzzer: its seeds, then mutations.
 *
 *	  fuzz_NAME SEEDS MUTATIONS [RANDOM_SEED]
 *
 * The same arguments try the same inputs on every machine, so this is part of
 * the tests; libFuzzer (make fuzz) looks further.  When a sanitizer ends the
 * program, the input is left in build-fuzz/crash.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sanitizer/common_interface_defs.h>

#define MAX_SEEDS 64
#define MAX_SIZE 4096

extern int	LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Input
{
	uint8_t		data[MAX_SIZE];
	size_t		size;
} Input;

static Input seeds[MAX_SEEDS];
static int	nseeds;
static Input current;
static uint64_t state = 1;

static uint32_t
dice(uint32_t sides)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t) (state >> 32) % sides;
}

static void
save_crash(void)
{
	FILE	   *f = fopen("build-fuzz/crash", "wb");

	if (f == NULL)
		return;
	fwrite(current.data, 1, current.size, f);
	fclose(f);
}

static void
load_seeds(const char *dir)
{
	struct dirent **names;
	char		path[1024];
	int			n = scandir(dir, &names, NULL, alphasort);

	for (int i = 0; i < n; i++)
	{
		FILE	   *f;

		snprintf(path, sizeof(path), "%s/%s", dir, names[i]->d_name);
		if (names[i]->d_name[0] != '.' && nseeds < MAX_SEEDS &&
			(f = fopen(path, "rb")) != NULL)
		{
			seeds[nseeds].size = fread(seeds[nseeds].data, 1, MAX_SIZE, f);
			nseeds++;
			fclose(f);
		}
		free(names[i]);
	}
	if (n > 0)
		free(names);
}

/* Puts n bytes at a place, moving the rest; what does not fit is cut off. */
static void
insert(size_t at, const uint8_t *bytes, size_t n)
{
	if (n > MAX_SIZE - current.size)
		n = MAX_SIZE - current.size;
	memmove(current.data + at + n, current.data + at, current.size - at);
	memcpy(current.data + at, bytes, n);
	current.size += n;
}

static void
mutate_once(void)
{
	static const char *const words[] = {"'", "''", "(", ")", " and ", " or ",
		"not ", "\r\n", "\r\n\r\n", "--", "%", "%2", "%00", "\"", "\\u",
		"\\ud800", "{", "}", "[", "9223372036854775808", "-", "1e999", "NaN",
		"datetime'", "guid'", "X'", "null", "@odata.type", "PartitionKey",
	"=", "&", "?", ",", ":", "\xff", "\xed\xa0\x80", "\xf0\x9f\x98\x80"};
	const Input *other = &seeds[dice((uint32_t) nseeds)];
	uint8_t		copy[64];
	const char *word;
	size_t		n = current.size;
	size_t		at = dice((uint32_t) n + 1);
	size_t		length = n > at ? 1 + dice((uint32_t) (n - at)) : 0;
	uint8_t		byte = (uint8_t) dice(256);

	switch (dice(7))
	{
		case 0:
			if (at < n)
				current.data[at] ^= (uint8_t) (1 << dice(8));
			break;
		case 1:
			insert(at, &byte, 1);
			break;
		case 2:
			memmove(current.data + at, current.data + at + length,
					n - at - length);
			current.size -= length;
			break;
		case 3:
			length = length > sizeof(copy) ? sizeof(copy) : length;
			memcpy(copy, current.data + at, length);
			insert(dice((uint32_t) n + 1), copy, length);
			break;
		case 4:
			word = words[dice(sizeof(words) / sizeof(words[0]))];
			insert(at, (const uint8_t *) word, strlen(word));
			break;
		case 5:
			current.size = at;
			if (other->size > 0)
			{
				n = dice((uint32_t) other->size);
				insert(at, other->data + n, other->size - n);
			}
			break;
		default:
			if (at < n)
				current.data[at] = byte;
	}
}

int
main(int argc, char **argv)
{
	long		mutations = argc > 2 ? atol(argv[2]) : 0;

	if (argc < 3)
		return 2;
	load_seeds(argv[1]);
	if (argc > 3)
		state = strtoull(argv[3], NULL, 10) * 2 + 1;
	__sanitizer_set_death_callback(save_crash);
	for (int i = 0; i < nseeds; i++)
	{
		current = seeds[i];
		LLVMFuzzerTestOneInput(current.data, current.size);
	}
	for (long i = 0; i < mutations && nseeds > 0; i++)
	{
		current = seeds[dice((uint32_t) nseeds)];
		for (uint32_t n = 1 + dice(6); n > 0; n--)
			mutate_once();
		LLVMFuzzerTestOneInput(current.data, current.size);
	}
	printf("%d seeds, %ld mutations\n", nseeds, mutations);
	return nseeds > 0 ? 0 : 1;
}
