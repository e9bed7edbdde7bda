/*
 * test_store_queue.c
 *	  The Queue service: what is signed, and messages read from its answers.
 */
#include "unit.h"

#include "store/queue.h"
#include "store/sign.h"

static tmodel_arena arena;

/* Signatures made by another program over the documented string. */
UNIT_TEST(store_queue_signature)
{
	tmodel_span account = TMODEL_SPAN("devstoreaccount1");
	tmodel_span key = TMODEL_SPAN("secret key");
	const char *date = "Fri, 20 Nov 2026 12:00:00 GMT";
	tmodel_span got;

	tmodel_arena_init(&arena, &tmodel_malloc);
	got = tstore_sign_queue(&arena, account, key, "GET", NULL, 0, date,
							"2019-02-02",
							TMODEL_SPAN("/devstoreaccount1/q/messages"),
							TMODEL_SPAN("\nnumofmessages:32\nvisibilitytimeout:60"));
	CHECK(tmodel_span_equal(got, TMODEL_SPAN("Az1vggtchu7yYYZX5qYPXGIVSN/tgeCvrq1x6fAptmg=")));
	got = tstore_sign_queue(&arena, account, key, "POST", "application/xml", 71,
							date, "2019-02-02",
							TMODEL_SPAN("/devstoreaccount1/q/messages"),
							TMODEL_SPAN(""));
	CHECK(tmodel_span_equal(got, TMODEL_SPAN("NYVsAaQmBdz6HBIsZ4zaAIf4ycSZiT9i6YXuPWpkMV0=")));
	tmodel_arena_reset(&arena);
}

static int
read_body(const char *body, tstore_message *messages)
{
	tstore_reply reply = {.body = tmodel_span_of(body)};

	return tstore_read_messages(&arena, &reply, messages);
}

UNIT_TEST(store_queue_messages)
{
	tstore_message messages[TSTORE_MESSAGES_MAX];
	tmodel_buf	many;

	tmodel_arena_init(&arena, &tmodel_malloc);
	CHECK_INT(read_body("<?xml version=\"1.0\"?><QueueMessagesList>"
						"<QueueMessage><MessageId>1</MessageId><PopReceipt>a+/=</PopReceipt>"
						"<MessageText>dApsaW5l</MessageText></QueueMessage>"
						"<QueueMessage><MessageId>2</MessageId><PopReceipt>b</PopReceipt>"
						"<MessageText>not base64!</MessageText></QueueMessage>"
						"</QueueMessagesList>", messages), 2);
	CHECK(tmodel_span_equal(messages[0].id, TMODEL_SPAN("1")));
	CHECK(tmodel_span_equal(messages[0].receipt, TMODEL_SPAN("a+/=")));
	CHECK(tmodel_span_equal(messages[0].text, TMODEL_SPAN("t\nline")));
	CHECK_INT(messages[1].text.len, 0);
	/* what is no list of messages, or half of one */
	CHECK_INT(read_body("", messages), 0);
	CHECK_INT(read_body("<QueueMessagesList/>", messages), 0);
	CHECK_INT(read_body("{\"odata.error\":{}}", messages), 0);
	CHECK_INT(read_body("<QueueMessage><MessageId>1</MessageId>", messages), 0);
	CHECK_INT(read_body("<QueueMessage><MessageId>1</QueueMessage>"
						"<QueueMessage><MessageId>2</MessageId></QueueMessage>",
						messages), 0);
	/* never more than asked for */
	tmodel_buf_init(&many, &arena);
	for (int i = 0; i < 2 * TSTORE_MESSAGES_MAX; i++)
		tmodel_buf_puts(&many, "<QueueMessage><MessageId>1</MessageId>"
						"<PopReceipt>r</PopReceipt></QueueMessage>");
	CHECK_INT(read_body(many.data, messages), TSTORE_MESSAGES_MAX);
	tmodel_arena_reset(&arena);
}
