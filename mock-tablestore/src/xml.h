/*
 * xml.h
 *	  Reading the small XML documents of the storage services, and escaping.
 *
 * Elements and text only: attributes, comments and processing instructions
 * are skipped, a DOCTYPE makes the document malformed.
 */
#ifndef MTS_XML_H
#define MTS_XML_H

#include "mem.h"

typedef struct XmlNode
{
	Span		name;			/* without a namespace prefix */
	Span		text;			/* all character data, entities resolved */
	struct XmlNode *first;		/* child */
	struct XmlNode *next;		/* sibling */
} XmlNode;

/* The root element, or NULL when the text is malformed. */
extern XmlNode *xml_parse(Arena *a, Span text);

/* The first child of that name, or NULL (also for a NULL node). */
extern const XmlNode *xml_child(const XmlNode *node, const char *name);

/* The text of that child, trimmed; false when there is no such child. */
extern bool xml_value(const XmlNode *node, const char *name, Span *value);

/* Character data with < > & escaped. */
extern void xml_text(Buf *out, Span text);

/* <name>text</name> */
extern void xml_element(Buf *out, const char *name, Span text);

#endif							/* MTS_XML_H */
