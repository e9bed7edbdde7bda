/*
 * The official client of tables: one line "ok NAME" or "FAIL NAME why" per
 * check; test_azure_js.py starts it and reads them.
 */
"use strict";
const assert = require("node:assert/strict");
const {
	TableServiceClient, TableClient, AzureNamedKeyCredential,
	AzureSASCredential, generateTableSas, generateAccountSas, odata,
	TableTransaction, RestError,
} = require("@azure/data-tables");
const { run } = require("./run");

const [endpoint, account, key] = process.argv.slice(2);
const credential = new AzureNamedKeyCredential(account, key);
const options = { allowInsecureConnection: true, retryOptions: { maxRetries: 0 } };
const service = new TableServiceClient(endpoint, credential, options);
const client = (name, how = credential) => new TableClient(endpoint, name, how, options);
const list = async (pages) => {
	const all = [];
	for await (const one of pages)
		all.push(one);
	return all;
};
const refused = (promise, status, code) => assert.rejects(promise, (e) => {
	assert.ok(e instanceof RestError, String(e));
	assert.equal(e.statusCode, status);
	if (code)
		assert.equal(e.details?.odataError?.code ?? e.code ?? e.response.headers.get("x-ms-error-code"), code);
	return true;
});
const fresh = async (name) => {
	const table = client(name);
	await table.createTable();
	return table;
};
const soon = () => new Date(Date.now() + 600e3);

run({
	async tables() {
		for (const name of ["Alpha", "Beta", "Gamma"])
			await service.createTable(name);
		await service.createTable("alpha");	/* the client forgives a 409 */
		assert.deepEqual((await list(service.listTables())).map((t) => t.name), ["Alpha", "Beta", "Gamma"]);
		const filter = odata`TableName ge ${"B"} and TableName lt ${"C"}`;
		assert.deepEqual((await list(service.listTables({ queryOptions: { filter } }))).map((t) => t.name), ["Beta"]);
		const pages = await list(service.listTables().byPage({ maxPageSize: 2 }));
		assert.deepEqual(pages.map((p) => p.length), [2, 1]);
		await service.deleteTable("BETA");
		assert.equal((await list(service.listTables())).length, 2);
	},
	async types() {
		const table = await fresh("Types");
		const entity = {
			partitionKey: "p'\u00e9 %", rowKey: "r+/".replace("/", "-"), text: "a \"b\" \u{1F600}", int: 7,
			double: 1.5, whole: { type: "Double", value: "3.0" }, yes: true, big: 9007199254740993n,
			when: new Date("2020-01-02T03:04:05.678Z"), bytes: new Uint8Array([0, 1, 255]),
			id: { type: "Guid", value: "123e4567-e89b-12d3-a456-426614174000" }, empty: "",
		};
		await table.createEntity(entity);
		const got = await table.getEntity(entity.partitionKey, entity.rowKey);
		for (const name of ["text", "int", "double", "yes", "big", "empty"])
			assert.deepEqual(got[name], entity[name], name);
		assert.equal(got.when.toISOString?.() ?? new Date(got.when).toISOString(), "2020-01-02T03:04:05.678Z");
		assert.deepEqual([...got.bytes], [0, 1, 255]);
		assert.equal(got.id.value, entity.id.value);
		assert.equal(got.whole, 3);
		const nan = { partitionKey: "n", rowKey: "n", v: { type: "Double", value: "NaN" } };
		await table.createEntity(nan);
		await refused(table.createEntity(nan), 409, "EntityAlreadyExists");
	},
	async writes() {
		const table = await fresh("Writes");
		const key1 = { partitionKey: "p", rowKey: "r" };
		const first = await table.createEntity({ ...key1, a: 1, b: 2 });
		const second = await table.updateEntity({ ...key1, b: 3 }, "Merge", { etag: first.etag });
		assert.notEqual(first.etag, second.etag);
		assert.deepEqual([(await table.getEntity("p", "r")).a, (await table.getEntity("p", "r")).b], [1, 3]);
		await refused(table.updateEntity({ ...key1, b: 4 }, "Replace", { etag: first.etag }), 412,
			"UpdateConditionNotSatisfied");
		await table.updateEntity({ ...key1, c: 5 }, "Replace");
		assert.equal((await table.getEntity("p", "r")).a, undefined);
		await table.upsertEntity({ ...key1, d: 6 }, "Merge");
		await table.upsertEntity({ partitionKey: "p", rowKey: "new", d: 6 }, "Replace");
		await refused(table.deleteEntity("p", "r", { etag: first.etag }), 412);
		await table.deleteEntity("p", "r");
		await refused(table.getEntity("p", "r"), 404, "ResourceNotFound");
		await refused(table.updateEntity({ ...key1 }, "Merge"), 404);
		await refused(client("Nope").getEntity("p", "r"), 404, "TableNotFound");
		await refused(table.createEntity({ partitionKey: "a/b", rowKey: "" }), 400);
	},
	async queries() {
		const table = await fresh("Queries");
		for (let at = 0; at < 250; at += 50) {
			const batch = new TableTransaction();
			for (let i = at; i < at + 50; i++)
				batch.createEntity({ partitionKey: "q", rowKey: String(i).padStart(4, "0"), n: i, half: i / 2,
					odd: i % 2 === 1, big: BigInt(i), at: new Date(Date.UTC(2020, 0, 1, 0, 0, i)) });
			await table.submitTransaction(batch.actions);
		}
		const count = async (filter, select) =>
			(await list(table.listEntities({ queryOptions: { filter, select } }))).length;
		assert.equal(await count(), 250);
		assert.equal(await count(odata`n ge ${10} and n lt ${20}`), 10);
		assert.equal(await count(odata`odd eq ${true}`), 125);
		assert.equal(await count(odata`big gt ${200n}`), 49);
		assert.equal(await count(odata`half eq ${1.5}`), 1);
		assert.equal(await count(odata`at lt ${new Date(Date.UTC(2020, 0, 1, 0, 0, 5))}`), 5);
		assert.equal(await count(odata`RowKey eq ${"0042"} or not (n gt ${2})`), 4);
		const pages = await list(table.listEntities().byPage({ maxPageSize: 100 }));
		assert.deepEqual(pages.map((p) => p.length), [100, 100, 50]);
		const first = await table.listEntities().byPage({ maxPageSize: 100 }).next();
		const rest = await list(table.listEntities().byPage({ maxPageSize: 200,
			continuationToken: first.value.continuationToken }));
		assert.equal(rest[0][0].rowKey, "0100");
		const [one] = await list(table.listEntities({ queryOptions: { filter: odata`n eq ${3}`, select: ["n"] } }));
		assert.deepEqual([one.n, one.rowKey], [3, undefined]);
		await refused(count("n eq"), 400, "InvalidInput");
	},
	async transactions() {
		const table = await fresh("Batches");
		const row = (rowKey, extra) => ({ partitionKey: "b", rowKey, ...extra });
		await table.createEntity(row("there", { a: 1 }));
		const done = await table.submitTransaction([["create", row("x")], ["upsert", row("y", { v: 1 }), "Replace"],
			["update", row("there", { b: 2 }), "Merge"], ["delete", row("gone")]].slice(0, 3));
		assert.deepEqual(done.subResponses.map((r) => r.status), [204, 204, 204]);
		assert.equal((await table.getEntity("b", "there")).a, 1);
		await refused(table.submitTransaction([["create", row("z")], ["create", row("x")]]), 409,
			"EntityAlreadyExists");
		await refused(table.getEntity("b", "z"), 404);
		await refused(table.submitTransaction([["create", row("t")], ["create", row("t")]]), 400,
			"InvalidDuplicateRow");
	},
	async signatures() {
		const table = await fresh("Signed");
		for (const p of ["a", "b", "c"])
			await table.createEntity({ partitionKey: p, rowKey: "1" });
		const reader = client("Signed", new AzureSASCredential(generateTableSas("Signed", credential, {
			permissions: { query: true }, expiresOn: soon(), startPartitionKey: "b", endPartitionKey: "b" })));
		assert.deepEqual((await list(reader.listEntities())).map((e) => e.partitionKey), ["b"]);
		await refused(reader.createEntity({ partitionKey: "b", rowKey: "2" }), 403, "AuthorizationPermissionMismatch");
		const writer = client("Signed", new AzureSASCredential(generateTableSas("Signed", credential, {
			permissions: { add: true, update: true, delete: true }, expiresOn: soon() })));
		await writer.upsertEntity({ partitionKey: "b", rowKey: "2" }, "Replace");
		await writer.deleteEntity("b", "2");
		await refused(list(writer.listEntities()), 403);
		const all = new TableServiceClient(endpoint, new AzureSASCredential(generateAccountSas(credential, {
			expiresOn: soon() })), options);
		assert.ok((await list(all.listTables())).length > 0);
		const late = new AzureSASCredential(generateTableSas("Signed", credential, {
			permissions: { query: true }, expiresOn: new Date(Date.now() - 5000) }));
		await refused(list(client("Signed", late).listEntities()), 403, "AuthenticationFailed");
		const wrong = new AzureNamedKeyCredential(account, Buffer.from("wrong").toString("base64"));
		await refused(client("Signed", wrong).getEntity("a", "1"), 403, "AuthenticationFailed");
	},
	async policies() {
		const table = await fresh("Policies");
		await table.setAccessPolicy([{ id: "one", accessPolicy: { start: new Date(0), expiry: soon(),
			permission: "raud" } }]);
		const got = await table.getAccessPolicy();
		assert.equal(got.length, 1);
		assert.deepEqual([got[0].id, got[0].accessPolicy.permission], ["one", "raud"]);
		const named = client("Policies", new AzureSASCredential(generateTableSas("Policies", credential, {
			identifier: "one" })));
		await named.createEntity({ partitionKey: "p", rowKey: "r" });
		assert.equal((await list(named.listEntities())).length, 1);
	},
	async properties() {
		await service.setProperties({
			logging: { version: "1.0", delete: true, read: false, write: true, retentionPolicy: { enabled: true, days: 5 } },
			cors: [{ allowedOrigins: "*", allowedMethods: "GET", allowedHeaders: "*", exposedHeaders: "*",
				maxAgeInSeconds: 9 }],
		});
		const got = await service.getProperties();
		assert.equal(got.logging.retentionPolicy.days, 5);
		assert.equal(got.cors[0].maxAgeInSeconds, 9);
		const second = new TableServiceClient(endpoint + "-secondary", credential, options);
		assert.equal((await second.getStatistics()).geoReplication.status, "live");
	},
});
