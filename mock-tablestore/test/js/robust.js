/*
 * The official client of tables when things go wrong: retries, time-outs,
 * cancelled requests, lost replies, limits.  Rules are set under /__mock/.
 */
"use strict";
const assert = require("node:assert/strict");
const { TableClient, TableServiceClient, AzureNamedKeyCredential, TableTransaction, odata, RestError } =
	require("@azure/data-tables");
const { run } = require("./run");

const [endpoint, account, key, control] = process.argv.slice(2);
const credential = new AzureNamedKeyCredential(account, key);
const quick = { maxRetries: 3, retryDelayInMs: 5, maxRetryDelayInMs: 20 };
const client = (name, retryOptions = quick) =>
	new TableClient(endpoint, name, credential, { allowInsecureConnection: true, retryOptions });
const ask = async (method, path, body) => {
	const r = await fetch(`${control}/__mock/${path}`, { method, body: body && JSON.stringify(body) });
	return r.text();
};
const fault = (rule) => ask("POST", "faults", rule);
const statuses = async (pattern) => (await ask("GET", "journal")).split("\n")
	.map((line) => line.split("\t")).filter((f) => pattern.test(f[1] + " " + f[2])).map((f) => Number(f[3]));
const list = async (pages) => {
	const all = [];
	for await (const one of pages)
		all.push(one);
	return all;
};
const fresh = async (name, retryOptions) => {
	await ask("DELETE", "faults");
	const table = client(name, retryOptions);
	await table.createTable();
	await ask("DELETE", "journal");
	return table;
};
const row = (rowKey, extra) => ({ partitionKey: "p", rowKey, ...extra });

run({
	async throttled() {
		const table = await fresh("Throttled");
		await fault({ operation: "insert", action: "status", status: 503, code: "ServerBusy", times: 2 });
		await table.createEntity(row("a"));
		assert.deepEqual(await statuses(/^POST .*Throttled/), [503, 503, 204]);
		await ask("DELETE", "journal");
		await fault({ operation: "insert", action: "status", status: 503, retry_after: 1 });
		const began = Date.now();
		await table.createEntity(row("b"));
		assert.ok(Date.now() - began >= 900);
		await fault({ operation: "query", action: "status", status: 500, code: "OperationTimedOut", times: 0 });
		await assert.rejects(list(table.listEntities()), (e) => e.statusCode === 500 &&
			e.details.odataError.code === "OperationTimedOut");
		assert.equal((await statuses(/^GET /)).length, quick.maxRetries + 1);
	},
	async cancelled() {
		const table = await fresh("Cancelled", { maxRetries: 0 });
		await fault({ operation: "get", action: "silent", times: 0 });
		const abort = new AbortController();
		const waiting = table.getEntity("p", "r", { abortSignal: abort.signal });
		setTimeout(() => abort.abort(), 100);
		await assert.rejects(waiting, { name: "AbortError" });
		await assert.rejects(table.getEntity("p", "r", { requestOptions: { timeout: 100 } }),
			(e) => e.name === "AbortError" || e.code === "REQUEST_SEND_ERROR");
		await ask("DELETE", "faults");
		await assert.rejects(table.getEntity("p", "r"), { statusCode: 404 });
	},
	async serverTimeout() {
		const table = await fresh("Slow", { maxRetries: 0 });
		await fault({ operation: "insert", action: "delay", ms: 3000 });
		await assert.rejects(table.createEntity(row("a"), { timeout: 1 }), (e) => e.statusCode === 500 &&
			e.details.odataError.code === "OperationTimedOut");
		assert.equal((await list(table.listEntities())).length, 0);
	},
	async lostReplies() {
		/* What was applied comes back as a conflict when it is sent again. */
		const table = await fresh("Lost");
		await fault({ operation: "insert", action: "drop_reply" });
		await assert.rejects(table.createEntity(row("a")), { statusCode: 409 });
		assert.deepEqual(await statuses(/^POST .*Lost/), [0, 409]);
		await fault({ operation: "update", action: "drop_reply" });
		await table.upsertEntity(row("a", { n: 1 }), "Replace");
		assert.equal((await table.getEntity("p", "a")).n, 1);
		await fault({ operation: "batch", action: "drop_reply" });
		await assert.rejects(table.submitTransaction([["create", row("b")], ["create", row("c")]]), { statusCode: 409 });
		assert.equal((await list(table.listEntities())).length, 3);
	},
	async brokenReplies() {
		const table = await fresh("Broken", { maxRetries: 0 });
		for (let i = 0; i < 10; i++)
			await table.createEntity(row(String(i), { text: "x".repeat(100) }));
		for (const action of ["truncate", "garbage", "drop_before"]) {
			await fault({ operation: "query", action });
			await assert.rejects(list(table.listEntities()), (e) => e instanceof Error, action);
		}
		for (const rule of [{ action: "slow_body", bytes: 200, ms: 1 }, { action: "oversized", bytes: 100000 }]) {
			await fault({ operation: "query", ...rule });
			assert.equal((await list(table.listEntities())).length, 10, rule.action);
		}
	},
	async oddPages() {
		const table = await fresh("Pages");
		for (const p of ["a", "b"])
			for (let i = 0; i < 10; i++)
				await table.createEntity({ partitionKey: p, rowKey: String(i) });
		await fault({ operation: "query", action: "page", page_size: 3, odd_token: true, times: 0 });
		assert.equal((await list(table.listEntities())).length, 20);
		await ask("DELETE", "faults");
		await fault({ operation: "query", action: "page", page_size: 0, times: 3 });
		assert.equal((await list(table.listEntities())).length, 20);
		await fault({ operation: "query", action: "page", no_row_key: true, times: 0 });
		assert.equal((await list(table.listEntities())).length, 20);
	},
	async limits() {
		const table = await fresh("Limits");
		const many = new TableTransaction();
		for (let i = 0; i < 101; i++)
			many.createEntity(row(String(i)));
		await assert.rejects(table.submitTransaction(many.actions), { statusCode: 400 });
		assert.equal((await list(table.listEntities())).length, 0);
		const code = (e) => e.details?.odataError?.code;
		for (const [entity, expected] of [[row("x".repeat(513)), "KeyValueTooLarge"],
			[row("v", { v: "x".repeat(32769) }), "PropertyValueTooLarge"],
			[row("n", { ["n".repeat(256)]: 1 }), "PropertyNameTooLong"], [row("d", { "a-b": 1 }), "PropertyNameInvalid"],
			[row("m", Object.fromEntries(Array.from({ length: 253 }, (_, i) => ["p" + i, i]))), "TooManyProperties"],
			[row("b", Object.fromEntries(Array.from({ length: 17 }, (_, i) => ["p" + i, "x".repeat(32000)]))),
				"EntityTooLarge"]])
			await assert.rejects(table.createEntity(entity), (e) => e instanceof RestError && code(e) === expected,
				expected);
	},
	async connectionStrings() {
		const text = `DefaultEndpointsProtocol=http;AccountName=${account};AccountKey=${key};TableEndpoint=${endpoint};`;
		const how = { allowInsecureConnection: true };
		const service = TableServiceClient.fromConnectionString(text, how);
		await service.createTable("ByText");
		const table = TableClient.fromConnectionString(text, "ByText", how);
		const hostile = ["it's", "''", "a\"b", "50% + 1", "\u{1F600}", "' or '1' eq '1"];
		for (const name of hostile)
			await table.createEntity({ partitionKey: name, rowKey: "", name });
		for (const name of hostile) {
			const found = await list(table.listEntities({ queryOptions: { filter: odata`name eq ${name}` } }));
			assert.deepEqual(found.map((e) => e.partitionKey), [name]);
			assert.equal((await table.getEntity(name, "")).name, name);
		}
	},
});
