/*
 * filter_eval.c
 *	  Does a stored entity match a filter?
 *
 * Works on the blob: one walk fetches the properties the filter names, the
 * tree is then evaluated on typed values.  A missing property and a value of
 * another type make any comparison false, also "ne".  Only an Int32 literal
 * reaches wider types (Int64, Double).
 */
#include "filter.h"

#include "encode.h"

static bool
holds(CmpOp op, int order)
{
	switch (op)
	{
		case CMP_EQ:
			return order == 0;
		case CMP_NE:
			return order != 0;
		case CMP_GT:
			return order > 0;
		case CMP_GE:
			return order >= 0;
		case CMP_LT:
			return order < 0;
		case CMP_LE:
			break;
	}
	return order <= 0;
}

/* IEEE comparison: nothing but "ne" holds for NaN. */
static bool
holds_double(CmpOp op, double a, double b)
{
	if (a != a || b != b)
		return op == CMP_NE;
	return holds(op, a < b ? -1 : a > b);
}

static bool
compare(CmpOp op, const Value *v, const Value *literal)
{
	if (literal->type == VT_INT32)
	{
		if (v->type == VT_INT32 || v->type == VT_INT64)
			return holds(op, v->i64 < literal->i64 ? -1 :
						 v->i64 > literal->i64);
		if (v->type == VT_DOUBLE)
			return holds_double(op, v->f64, (double) literal->i64);
		return false;
	}
	if (v->type != literal->type)
		return false;
	switch (v->type)
	{
		case VT_STRING:
			return holds(op, utf16_cmp(v->bytes, literal->bytes));
		case VT_BINARY:
			return holds(op, span_cmp(v->bytes, literal->bytes));
		case VT_DOUBLE:
			return holds_double(op, v->f64, literal->f64);
		case VT_GUID:
			return holds(op, memcmp(v->guid, literal->guid, 16));
		case VT_BOOL:
			return holds(op, (int) v->b - (int) literal->b);
		case VT_INT32:
		case VT_INT64:
		case VT_DATETIME:
			break;
	}
	return holds(op, v->i64 < literal->i64 ? -1 : v->i64 > literal->i64);
}

static bool
match_comparison(const FilterNode *node, const FilterRow *row)
{
	Value		v;

	if (node->slot >= 0)
		return row->present[node->slot] &&
			compare(node->op, &row->values[node->slot], &node->literal);
	if (node->slot == SLOT_TIMESTAMP)
	{
		v.type = VT_DATETIME;
		v.i64 = blob_ticks(row->blob);
		return compare(node->op, &v, &node->literal);
	}
	/* Keys and their literals are in key form: plain byte order. */
	return node->literal.type == VT_STRING &&
		holds(node->op, span_cmp(node->slot == SLOT_PK ? row->pk : row->rk,
								 node->literal.bytes));
}

static bool
match(const FilterNode *node, const FilterRow *row)
{
	switch (node->kind)
	{
		case FILTER_AND:
			return match(node->left, row) && match(node->right, row);
		case FILTER_OR:
			return match(node->left, row) || match(node->right, row);
		case FILTER_NOT:
			return !match(node->left, row);
		case FILTER_CMP:
			break;
	}
	return match_comparison(node, row);
}

bool
filter_match(const Filter *f, FilterRow *row)
{
	BlobReader	r;
	Span		name;
	Value		value;
	int			missing = f->nslots;

	if (f->root == NULL)
		return true;
	if (missing > 0)
	{
		memset(row->present, 0, sizeof(bool) * (size_t) f->nslots);
		blob_open(&r, row->blob);
		while (missing > 0 && blob_next(&r, &name, &value))
		{
			for (int i = 0; i < f->nslots; i++)
			{
				if (span_eq(f->names[i], name))
				{
					row->values[i] = value;
					row->present[i] = true;
					missing--;
					break;
				}
			}
		}
	}
	return match(f->root, row);
}
