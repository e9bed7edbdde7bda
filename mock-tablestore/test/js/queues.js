/*
 * The official client of queues: one line "ok NAME" or "FAIL NAME why" per
 * check; test_azure_js.py starts it and reads them.
 */
"use strict";
const assert = require("node:assert/strict");
const {
	QueueServiceClient, QueueClient, StorageSharedKeyCredential, generateQueueSASQueryParameters,
	generateAccountSASQueryParameters, QueueSASPermissions, AccountSASPermissions, AccountSASResourceTypes,
	AccountSASServices, RestError,
} = require("@azure/storage-queue");
const { run } = require("./run");

const [endpoint, account, key, control] = process.argv.slice(2);
const credential = new StorageSharedKeyCredential(account, key);
const options = { retryOptions: { maxTries: 1 } };
const service = new QueueServiceClient(endpoint, credential, options);
const advance = (ms) => fetch(`${control}/__mock/clock`, { method: "POST", body: JSON.stringify({ advance_ms: ms }) });
const list = async (pages) => {
	const all = [];
	for await (const one of pages)
		all.push(one);
	return all;
};
const refused = (promise, status, code) => assert.rejects(promise, (e) => {
	assert.ok(e instanceof RestError, String(e));
	assert.deepEqual([e.statusCode, e.code ?? e.details?.errorCode], [status, code]);
	return true;
});
const fresh = async (name, how) => {
	const queue = service.getQueueClient(name);
	await queue.create(how);
	return queue;
};
const soon = () => new Date(Date.now() + 600e3);

run({
	async queues() {
		await fresh("one", { metadata: { owner: "me" } });
		await fresh("two");
		const queue = service.getQueueClient("one");
		await refused(queue.create(), 409, "QueueAlreadyExists");
		assert.equal((await service.getQueueClient("two").createIfNotExists()).succeeded, false);
		const got = await queue.getProperties();
		assert.deepEqual([got.metadata.owner, got.approximateMessagesCount], ["me", 0]);
		await queue.setMetadata({ other: "x" });
		assert.deepEqual((await queue.getProperties()).metadata, { other: "x" });
		const all = await list(service.listQueues({ includeMetadata: true }));
		assert.deepEqual(all.map((q) => q.name), ["one", "two"]);
		const pages = await list(service.listQueues().byPage({ maxPageSize: 1 }));
		assert.equal(pages.length, 2);
		assert.equal(await queue.exists(), true);
		await queue.delete();
		assert.equal(await queue.exists(), false);
		await refused(queue.sendMessage("x"), 404, "QueueNotFound");
		await refused(service.getQueueClient("a--b").create(), 400, "InvalidResourceName");
	},
	async messages() {
		const queue = await fresh("jobs");
		const texts = ["plain", "<a> & \"b\"", "\u00e9\u{1F600}", " kept "];
		for (const text of texts)
			await queue.sendMessage(text);
		const peeked = await queue.peekMessages({ numberOfMessages: 32 });
		assert.deepEqual(peeked.peekedMessageItems.map((m) => m.messageText), texts);
		const got = await queue.receiveMessages({ numberOfMessages: 4, visibilityTimeout: 60 });
		assert.deepEqual(got.receivedMessageItems.map((m) => m.messageText), texts);
		assert.equal((await queue.receiveMessages()).receivedMessageItems.length, 0);
		const [first, second] = got.receivedMessageItems;
		await queue.deleteMessage(first.messageId, first.popReceipt);
		await refused(queue.deleteMessage(first.messageId, first.popReceipt), 404, "MessageNotFound");
		const updated = await queue.updateMessage(second.messageId, second.popReceipt, "new text", 0);
		await refused(queue.deleteMessage(second.messageId, second.popReceipt), 404, "MessageNotFound");
		const [again] = (await queue.receiveMessages()).receivedMessageItems;
		assert.deepEqual([again.messageText, again.dequeueCount], ["new text", 2]);
		assert.notEqual(updated.popReceipt, again.popReceipt);
		assert.equal((await queue.getProperties()).approximateMessagesCount, 3);
		await advance(61e3);
		assert.equal((await queue.receiveMessages({ numberOfMessages: 9 })).receivedMessageItems.length, 3);
		await queue.clearMessages();
		assert.equal((await queue.getProperties()).approximateMessagesCount, 0);
		await refused(queue.receiveMessages({ numberOfMessages: 33 }), 400, "OutOfRangeQueryParameterValue");
	},
	async timing() {
		const queue = await fresh("timing");
		const sent = await queue.sendMessage("later", { visibilityTimeout: 30, messageTimeToLive: 100 });
		assert.equal(Math.round((sent.expiresOn - sent.insertedOn) / 1000), 100);
		assert.equal((await queue.receiveMessages()).receivedMessageItems.length, 0);
		await advance(31e3);
		assert.equal((await queue.receiveMessages({ visibilityTimeout: 1 })).receivedMessageItems.length, 1);
		await advance(100e3);
		assert.equal((await queue.receiveMessages()).receivedMessageItems.length, 0);
	},
	async signatures() {
		const queue = await fresh("signed");
		const token = generateQueueSASQueryParameters({ queueName: "signed", expiresOn: soon(),
			permissions: QueueSASPermissions.parse("ap") }, credential);
		const bearer = new QueueClient(`${endpoint}/signed?${token}`, undefined, options);
		await bearer.sendMessage("by signature");
		assert.equal((await bearer.receiveMessages()).receivedMessageItems.length, 1);
		await refused(bearer.peekMessages(), 403, "AuthorizationPermissionMismatch");
		const all = generateAccountSASQueryParameters({ expiresOn: soon(),
			permissions: AccountSASPermissions.parse("rl"), resourceTypes: AccountSASResourceTypes.parse("s").toString(),
			services: AccountSASServices.parse("q").toString() }, credential);
		const reader = new QueueServiceClient(`${endpoint}?${all}`, undefined, options);
		assert.ok((await list(reader.listQueues())).length > 0);
		const wrong = new StorageSharedKeyCredential(account, Buffer.from("wrong").toString("base64"));
		await refused(new QueueClient(`${endpoint}/signed`, wrong, options).getProperties(), 403, "AuthenticationFailed");
		await queue.setAccessPolicy([{ id: "p", accessPolicy: { startsOn: new Date(0), expiresOn: soon(),
			permissions: "raup" } }]);
		assert.equal((await queue.getAccessPolicy()).signedIdentifiers[0].id, "p");
	},
	async service() {
		const got = await service.getProperties();
		await service.setProperties({ ...got, cors: [] });
		assert.equal((await service.getProperties()).hourMetrics.version, "1.0");
	},
});
