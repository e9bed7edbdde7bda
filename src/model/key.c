/*
 * key.c
 *	  SQL values to PartitionKey and RowKey text, and back.
 *
 * Ranges of keys are key_range.c's.  Called by remote/convert, plan/, txn/ and
 * model/index for every key that is read or written.
 *
 * Easy to break: decoding is the exact inverse.  Text that encoding would not
 * have produced must be refused, or one entity would answer to two SQL keys.
 */
#include "key_int.h"

#include "hash.h"
#include "utf8.h"

#include <inttypes.h>
#include <string.h>

#define SHORT_MARK "~!"
#define SHORT_HASH_DIGITS (2 * TMODEL_SHA256_BYTES)
#define SHORT_TAIL_UNITS (2 + SHORT_HASH_DIGITS)

/* Lengths of the fixed text forms. */
#define DATE_LEN 10
#define SECONDS_LEN 19			/* up to and with the seconds */
#define TIMESTAMP_LEN 26
#define TICKS_PER_DAY INT64_C(864000000000)
#define TICKS_PER_SECOND INT64_C(10000000)
#define TICKS_PER_MICROSECOND 10

/* The one table of escapes: which introducer covers which code point. */
static const char introducers[0xA0] = {
	[0x00 ... 0x1F] = '"', ['"'] = '"', ['#'] = '"', ['%'] = '"',
	['*'] = '*', ['/'] = '*',
	['>'] = '>', ['?'] = '>',
	['\\'] = ']', [']'] = ']',
	['~'] = '~', [0x7F ... 0x9F] = '~'
};

/* The introducer, 0 for none. */
char
tmodel_key_introducer(uint32_t code)
{
	return code < sizeof(introducers) ? introducers[code] : '\0';
}

/* The store's list (4-store section 3). */
bool
tmodel_key_refuses(uint32_t code)
{
	return code < 0x20 || (code >= 0x7F && code <= 0x9F) ||
		code == '/' || code == '\\' || code == '#' || code == '?';
}

/* Appends one code point. */
bool
tmodel_key_put(tmodel_buf *out, tmodel_key_encoding encoding, uint32_t code)
{
	static const char hex[] = "0123456789ABCDEF";
	char		introducer = tmodel_key_introducer(code);

	if (encoding == TMODEL_KEY_ESCAPED && introducer != '\0')
	{
		char		escape[3];

		escape[0] = introducer;
		escape[1] = hex[code >> 4];
		escape[2] = hex[code & 15];
		return tmodel_buf_append(out, escape, sizeof(escape));
	}
	return tmodel_utf8_append(out, code);
}

/* ILLEGAL for text that is not UTF-8 and, RAW, for what the store refuses. */
static tmodel_key_status
append_text(tmodel_buf *out, tmodel_key_encoding encoding, tmodel_span text)
{
	for (size_t at = 0; at < text.len;)
	{
		uint32_t	code;
		int			n = tmodel_utf8_decode(text.data + at, text.len - at,
										   &code);

		if (n == 0 ||
			(encoding == TMODEL_KEY_RAW && tmodel_key_refuses(code)))
			return TMODEL_KEY_ILLEGAL;
		if (!tmodel_key_put(out, encoding, code))
			return TMODEL_KEY_NO_MEMORY;
		at += (size_t) n;
	}
	/* an empty text is a component too: out must be more than nothing */
	return tmodel_buf_append(out, "", 0) ? TMODEL_KEY_OK :
		TMODEL_KEY_NO_MEMORY;
}

/* How an integer type reads. */
typedef struct integer_form
{
	int			digits;			/* of the largest magnitude */
	uint64_t	all_nines;		/* that many nines */
	int64_t		least;
	int64_t		most;
} integer_form;

/* The form of an integer key type; NULL for other types. */
static const integer_form *
integer_form_of(tmodel_key_type type)
{
	static const integer_form int16_form =
	{5, UINT64_C(99999), INT16_MIN, INT16_MAX};
	static const integer_form int32_form =
	{10, UINT64_C(9999999999), INT32_MIN, INT32_MAX};
	static const integer_form int64_form =
	{19, UINT64_C(9999999999999999999), INT64_MIN, INT64_MAX};

	switch (type)
	{
		case TMODEL_KEY_INT16:
			return &int16_form;
		case TMODEL_KEY_INT32:
			return &int32_form;
		case TMODEL_KEY_INT64:
			return &int64_form;
		default:
			return NULL;
	}
}

/* Zero-padded, or '-' and the nines' complement; RAW: plain decimal. */
static tmodel_key_status
append_integer(tmodel_buf *out, tmodel_key_encoding encoding,
			   const integer_form *form, const tmodel_value *value)
{
	bool		wide = form->digits == 19;
	int64_t		number;
	uint64_t	digits;
	bool		done;

	if (value->type != (wide ? TMODEL_INT64 : TMODEL_INT32))
		return TMODEL_KEY_MISMATCH;
	number = wide ? value->u.int64 : value->u.int32;
	if (number < form->least || number > form->most)
		return TMODEL_KEY_MISMATCH;
	if (encoding == TMODEL_KEY_RAW)
		return tmodel_value_print(out, value) ? TMODEL_KEY_OK :
			TMODEL_KEY_NO_MEMORY;
	/* the magnitude of INT64_MIN only exists unsigned */
	digits = number < 0 ?
		form->all_nines - (UINT64_C(0) - (uint64_t) number) :
		(uint64_t) number;
	done = tmodel_buf_printf(out, "%s%0*" PRIu64, number < 0 ? "-" : "",
							 form->digits, digits);
	return done ? TMODEL_KEY_OK : TMODEL_KEY_NO_MEMORY;
}

/* DATE, TIMESTAMP, TIMESTAMPTZ: the store's text form, cut and refilled. */
static tmodel_key_status
append_datetime(tmodel_buf *out, tmodel_key_type type,
				const tmodel_value *value)
{
	size_t		start = out->len;
	int64_t		ticks = value->u.ticks;

	if (value->type != TMODEL_DATETIME || ticks < 0 ||
		ticks > TMODEL_TICKS_MAX ||
		ticks % (type == TMODEL_KEY_DATE ? TICKS_PER_DAY :
				 TICKS_PER_MICROSECOND) != 0)
		return TMODEL_KEY_MISMATCH;
	if (!tmodel_value_print(out, value))
		return TMODEL_KEY_NO_MEMORY;
	out->len = start + (type == TMODEL_KEY_DATE ? DATE_LEN : SECONDS_LEN);
	out->data[out->len] = '\0';
	if (type == TMODEL_KEY_DATE)
		return TMODEL_KEY_OK;
	if (!tmodel_buf_printf(out, ".%06d%s",
						   (int) (ticks % TICKS_PER_SECOND /
								  TICKS_PER_MICROSECOND),
						   type == TMODEL_KEY_TIMESTAMPTZ ? "Z" : ""))
		return TMODEL_KEY_NO_MEMORY;
	return TMODEL_KEY_OK;
}

/* Appends one component. */
tmodel_key_status
tmodel_key_append(tmodel_buf *out, tmodel_key_encoding encoding,
				  tmodel_key_type type, const tmodel_value *value)
{
	bool		done;

	switch (type)
	{
		case TMODEL_KEY_TEXT:
			if (value->type != TMODEL_STRING)
				return TMODEL_KEY_MISMATCH;
			return append_text(out, encoding, value->u.bytes);
		case TMODEL_KEY_INT16:
		case TMODEL_KEY_INT32:
		case TMODEL_KEY_INT64:
			return append_integer(out, encoding, integer_form_of(type), value);
		case TMODEL_KEY_BOOL:
			if (value->type != TMODEL_BOOLEAN)
				return TMODEL_KEY_MISMATCH;
			if (encoding == TMODEL_KEY_RAW)
				done = tmodel_value_print(out, value);
			else
				done = tmodel_buf_putc(out, value->u.boolean ? 't' : 'f');
			return done ? TMODEL_KEY_OK : TMODEL_KEY_NO_MEMORY;
		case TMODEL_KEY_DATE:
		case TMODEL_KEY_TIMESTAMP:
		case TMODEL_KEY_TIMESTAMPTZ:
			return append_datetime(out, type, value);
		case TMODEL_KEY_UUID:
			if (value->type != TMODEL_GUID)
				return TMODEL_KEY_MISMATCH;
			return tmodel_value_print(out, value) ? TMODEL_KEY_OK :
				TMODEL_KEY_NO_MEMORY;
	}
	return TMODEL_KEY_MISMATCH;
}

/* All components with separators between them; no check of the length. */
static tmodel_key_status
encode_full(tmodel_arena *arena, tmodel_key_encoding encoding, int n,
			const tmodel_key_type *types, const tmodel_value *values,
			tmodel_span *key)
{
	tmodel_buf	buf;

	if (n < 0 || (encoding == TMODEL_KEY_RAW && n != 1))
		return TMODEL_KEY_MISMATCH;
	if (n == 0)
	{
		*key = TMODEL_SPAN(TMODEL_KEY_NONE);
		return TMODEL_KEY_OK;
	}
	tmodel_buf_init(&buf, arena);
	for (int i = 0; i < n; i++)
	{
		tmodel_key_status status;

		if (i > 0 && !tmodel_buf_puts(&buf, TMODEL_KEY_SEPARATOR))
			return TMODEL_KEY_NO_MEMORY;
		status = tmodel_key_append(&buf, encoding, types[i], &values[i]);
		if (status != TMODEL_KEY_OK)
			return status;
	}
	*key = tmodel_buf_text(&buf);
	return TMODEL_KEY_OK;
}

/* A whole key of a fact. */
tmodel_key_status
tmodel_key_encode(tmodel_arena *arena, tmodel_key_encoding encoding, int n,
				  const tmodel_key_type *types, const tmodel_value *values,
				  tmodel_span *key)
{
	tmodel_key_status status;

	status = encode_full(arena, encoding, n, types, values, key);
	if (status == TMODEL_KEY_OK &&
		tmodel_utf16_units(*key) > TMODEL_KEY_MAX_UNITS)
		status = TMODEL_KEY_TOO_LONG;
	return status;
}

/*
 * Bytes of the longest prefix of an encoded key that has at most "units" units
 * and ends between two characters, escapes and separators counting as one.
 */
static size_t
whole_prefix(tmodel_span key, size_t units)
{
	size_t		at = 0;

	while (at < key.len)
	{
		tmodel_span piece = {key.data + at, 0};
		uint32_t	code;
		size_t		taken;

		if (tmodel_key_introducer((unsigned char) key.data[at]) != '\0')
			piece.len = at + 1 < key.len && key.data[at + 1] == ',' ? 2 : 3;
		else
			piece.len = (size_t) tmodel_utf8_decode(key.data + at,
													key.len - at, &code);
		if (piece.len == 0 || piece.len > key.len - at)
			break;				/* not encoded by us */
		taken = tmodel_utf16_units(piece);
		if (taken > units)
			break;
		units -= taken;
		at += piece.len;
	}
	return at;
}

/* Prefix, mark, and the hash of the whole, so that long keys stay distinct. */
tmodel_key_status
tmodel_key_shorten(tmodel_arena *arena, tmodel_span full, size_t max_units,
				   tmodel_span *key)
{
	uint8_t		hash[TMODEL_SHA256_BYTES];
	tmodel_buf	buf;
	size_t		kept = whole_prefix(full, max_units - SHORT_TAIL_UNITS);

	tmodel_buf_init(&buf, arena);
	if (!tmodel_sha256(full, hash) ||
		!tmodel_buf_append(&buf, full.data, kept) ||
		!tmodel_buf_puts(&buf, SHORT_MARK))
		return TMODEL_KEY_NO_MEMORY;
	for (int i = 0; i < TMODEL_SHA256_BYTES; i++)
	{
		if (!tmodel_buf_printf(&buf, "%02x", hash[i]))
			return TMODEL_KEY_NO_MEMORY;
	}
	*key = tmodel_buf_text(&buf);
	return TMODEL_KEY_OK;
}

/* A whole key of an index entry. */
tmodel_key_status
tmodel_key_encode_index(tmodel_arena *arena, int n,
						const tmodel_key_type *types,
						const tmodel_value *values, tmodel_span *key,
						bool *shortened)
{
	tmodel_key_status status;

	*shortened = false;
	status = encode_full(arena, TMODEL_KEY_ESCAPED, n, types, values, key);
	if (status != TMODEL_KEY_OK ||
		tmodel_utf16_units(*key) <= TMODEL_KEY_MAX_UNITS)
		return status;
	*shortened = true;
	return tmodel_key_shorten(arena, *key, TMODEL_KEY_MAX_UNITS, key);
}

/* Does the key end in a mark and a hash? */
bool
tmodel_key_is_shortened(tmodel_span key)
{
	const char *tail;

	if (key.len < SHORT_TAIL_UNITS)
		return false;
	tail = key.data + key.len - SHORT_TAIL_UNITS;
	if (memcmp(tail, SHORT_MARK, 2) != 0)
		return false;
	for (int i = 2; i < SHORT_TAIL_UNITS; i++)
	{
		if (!((tail[i] >= '0' && tail[i] <= '9') ||
			  (tail[i] >= 'a' && tail[i] <= 'f')))
			return false;
	}
	return true;
}

/* An upper-case hex digit's value, or -1. */
static int
hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/*
 * Reads one character of escaped text; 0 bytes when it is not one.  An escape
 * counts only under the introducer that covers its code point.
 */
static int
take_escaped(tmodel_span text, uint32_t *code)
{
	int			high;
	int			low;
	int			n = tmodel_utf8_decode(text.data, text.len, code);

	if (n == 0 || tmodel_key_introducer(*code) == '\0')
		return n;
	if (tmodel_key_introducer(*code) != (char) *code || text.len < 3)
		return 0;
	high = hex_value(text.data[1]);
	low = hex_value(text.data[2]);
	if (high < 0 || low < 0)
		return 0;
	*code = (uint32_t) (high << 4 | low);
	return tmodel_key_introducer(*code) == text.data[0] ? 3 : 0;
}

/* ASCII that stands for itself? */
static bool
is_bare(tmodel_span text)
{
	for (size_t i = 0; i < text.len; i++)
	{
		unsigned char c = (unsigned char) text.data[i];

		if (c >= 0x80 || tmodel_key_introducer(c) != '\0')
			return false;
	}
	return true;
}

/* Unescapes a TEXT component; RAW text is taken as it is. */
static tmodel_key_status
decode_text(tmodel_arena *arena, tmodel_key_encoding encoding,
			tmodel_span text, tmodel_value *value)
{
	tmodel_buf	buf;

	if (encoding == TMODEL_KEY_RAW || is_bare(text))
	{
		if (!tmodel_utf8_valid(text))
			return TMODEL_KEY_MALFORMED;
		*value = tmodel_string(tmodel_span_copy(arena, text));
		return value->u.bytes.data != NULL ? TMODEL_KEY_OK :
			TMODEL_KEY_NO_MEMORY;
	}
	tmodel_buf_init(&buf, arena);
	if (!tmodel_buf_append(&buf, "", 0))
		return TMODEL_KEY_NO_MEMORY;
	while (text.len > 0)
	{
		uint32_t	code;
		int			n = take_escaped(text, &code);

		if (n == 0)
			return TMODEL_KEY_MALFORMED;
		if (!tmodel_utf8_append(&buf, code))
			return TMODEL_KEY_NO_MEMORY;
		text.data += n;
		text.len -= (size_t) n;
	}
	*value = tmodel_string(tmodel_buf_text(&buf));
	return TMODEL_KEY_OK;
}

/* The exact number of digits and nothing else; no "-0". */
static bool
decode_padded(const integer_form *form, tmodel_span text, int64_t *number)
{
	bool		negative = text.len > 0 && text.data[0] == '-';
	uint64_t	digits = 0;

	if (text.len != (size_t) form->digits + negative)
		return false;
	for (size_t i = negative; i < text.len; i++)
	{
		if (text.data[i] < '0' || text.data[i] > '9')
			return false;
		digits = digits * 10 + (uint64_t) (text.data[i] - '0');
	}
	if (!negative)
	{
		*number = (int64_t) digits;
		return digits <= (uint64_t) form->most;
	}
	digits = form->all_nines - digits;
	if (digits == 0 || digits > (uint64_t) form->most + 1)
		return false;
	*number = -(int64_t) (digits - 1) - 1;
	return true;
}

/* Padded, or (RAW) plain decimal without surplus zeros. */
static tmodel_key_status
decode_integer(tmodel_arena *arena, tmodel_key_encoding encoding,
			   const integer_form *form, tmodel_span text, tmodel_value *value)
{
	int64_t		number;

	if (encoding == TMODEL_KEY_RAW)
	{
		tmodel_value parsed;

		if ((text.len > 1 && text.data[0] == '0') ||
			(text.len > 1 && text.data[0] == '-' && text.data[1] == '0') ||
			!tmodel_value_parse(arena, TMODEL_INT64, text, &parsed))
			return TMODEL_KEY_MALFORMED;
		number = parsed.u.int64;
	}
	else if (!decode_padded(form, text, &number))
		return TMODEL_KEY_MALFORMED;
	if (number < form->least || number > form->most)
		return TMODEL_KEY_MALFORMED;
	*value = form->digits == 19 ? tmodel_int64(number) :
		tmodel_int32((int32_t) number);
	return TMODEL_KEY_OK;
}

/* Completes the fixed forms to the store's text form and parses that. */
static tmodel_key_status
decode_datetime(tmodel_arena *arena, tmodel_key_type type, tmodel_span text,
				tmodel_value *value)
{
	char		full[TIMESTAMP_LEN + 2];
	tmodel_span whole = {full, text.len};
	size_t		len = type == TMODEL_KEY_DATE ? DATE_LEN :
		type == TMODEL_KEY_TIMESTAMP ? TIMESTAMP_LEN : TIMESTAMP_LEN + 1;

	if (text.len != len ||
		(type != TMODEL_KEY_DATE && text.data[SECONDS_LEN] != '.'))
		return TMODEL_KEY_MALFORMED;
	memcpy(full, text.data, len);
	if (type == TMODEL_KEY_DATE)
	{
		memcpy(full + len, "T00:00:00Z", 10);
		whole.len += 10;
	}
	else if (type == TMODEL_KEY_TIMESTAMP)
		full[whole.len++] = 'Z';
	return tmodel_value_parse(arena, TMODEL_DATETIME, whole, value) ?
		TMODEL_KEY_OK : TMODEL_KEY_MALFORMED;
}

/* f and t, or (RAW) false and true. */
static tmodel_key_status
decode_bool(tmodel_key_encoding encoding, tmodel_span text,
			tmodel_value *value)
{
	bool		raw = encoding == TMODEL_KEY_RAW;
	bool		truth = tmodel_span_equal(text, raw ? TMODEL_SPAN("true") :
										  TMODEL_SPAN("t"));

	if (!truth && !tmodel_span_equal(text, raw ? TMODEL_SPAN("false") :
									 TMODEL_SPAN("f")))
		return TMODEL_KEY_MALFORMED;
	*value = tmodel_boolean(truth);
	return TMODEL_KEY_OK;
}

/* Lower case only. */
static tmodel_key_status
decode_uuid(tmodel_arena *arena, tmodel_span text, tmodel_value *value)
{
	for (size_t i = 0; i < text.len; i++)
	{
		if (text.data[i] >= 'A' && text.data[i] <= 'F')
			return TMODEL_KEY_MALFORMED;
	}
	return tmodel_value_parse(arena, TMODEL_GUID, text, value) ?
		TMODEL_KEY_OK : TMODEL_KEY_MALFORMED;
}

/* Reads one component. */
static tmodel_key_status
decode_component(tmodel_arena *arena, tmodel_key_encoding encoding,
				 tmodel_key_type type, tmodel_span text, tmodel_value *value)
{
	switch (type)
	{
		case TMODEL_KEY_TEXT:
			return decode_text(arena, encoding, text, value);
		case TMODEL_KEY_INT16:
		case TMODEL_KEY_INT32:
		case TMODEL_KEY_INT64:
			return decode_integer(arena, encoding, integer_form_of(type),
								  text, value);
		case TMODEL_KEY_BOOL:
			return decode_bool(encoding, text, value);
		case TMODEL_KEY_DATE:
		case TMODEL_KEY_TIMESTAMP:
		case TMODEL_KEY_TIMESTAMPTZ:
			return decode_datetime(arena, type, text, value);
		case TMODEL_KEY_UUID:
			return decode_uuid(arena, text, value);
	}
	return TMODEL_KEY_MISMATCH;
}

/* Splits at the separators; the last component takes the rest. */
tmodel_key_status
tmodel_key_decode(tmodel_arena *arena, tmodel_key_encoding encoding, int n,
				  const tmodel_key_type *types, tmodel_span key,
				  tmodel_value *values)
{
	if (n < 0 || (encoding == TMODEL_KEY_RAW && n != 1))
		return TMODEL_KEY_MISMATCH;
	if (n == 0 && !tmodel_span_equal(key, TMODEL_SPAN(TMODEL_KEY_NONE)))
		return TMODEL_KEY_MALFORMED;
	for (int i = 0; i < n; i++)
	{
		tmodel_span component = key;
		tmodel_key_status status;

		if (i < n - 1)
		{
			size_t		at = 0;

			while (at + 1 < key.len &&
				   memcmp(key.data + at, TMODEL_KEY_SEPARATOR, 2) != 0)
				at++;
			if (at + 1 >= key.len)
				return TMODEL_KEY_MALFORMED;
			component.len = at;
			key.data += at + 2;
			key.len -= at + 2;
		}
		status = decode_component(arena, encoding, types[i], component,
								  &values[i]);
		if (status != TMODEL_KEY_OK)
			return status;
	}
	return TMODEL_KEY_OK;
}

/* Characters first: a length in units needs UTF-8. */
tmodel_key_status
tmodel_key_check(tmodel_span key)
{
	for (size_t at = 0; at < key.len;)
	{
		uint32_t	code;
		int			n = tmodel_utf8_decode(key.data + at, key.len - at, &code);

		if (n == 0 || tmodel_key_refuses(code))
			return TMODEL_KEY_ILLEGAL;
		at += (size_t) n;
	}
	return tmodel_utf16_units(key) > TMODEL_KEY_MAX_UNITS ?
		TMODEL_KEY_TOO_LONG : TMODEL_KEY_OK;
}
