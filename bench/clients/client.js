/*
 * The official JavaScript client doing what bench/compare.py asks of it.
 *
 *	  node client.js MODULES ENDPOINT ACCOUNT KEY WORK TABLE [N]
 *
 * MODULES is a folder whose node_modules has @azure/data-tables.  WORK: scan |
 * gets N | insert N.  Prints "seconds operations".
 */
"use strict";
globalThis.crypto ??= require("node:crypto").webcrypto;
const { createRequire } = require("node:module");
const path = require("node:path");

const [modules, endpoint, account, key, work, table, count] = process.argv.slice(2);
const { AzureNamedKeyCredential, TableClient } = createRequire(path.join(modules, "x.js"))("@azure/data-tables");
const client = new TableClient(endpoint, table, new AzureNamedKeyCredential(account, key), { allowInsecureConnection: true });

/* Every entity, the client's own pages of 1,000. */
async function scan() {
  let n = 0;
  for await (const entity of client.listEntities()) n += entity.rowKey.length > 0 ? 1 : 0;
  return n;
}

/* One point read after the other. */
async function gets(n) {
  for (let i = 0; i < n; i++) {
    const number = (i * 97) % 10000;
    await client.getEntity("p0", "r" + String(number).padStart(7, "0"));
  }
  return n;
}

/* Batches of 100, each awaited, as the client's manual shows. */
async function insert(n) {
  await client.createTable();
  for (let at = 0; at < n; at += 100) {
    const actions = [];
    for (let i = at; i < Math.min(n, at + 100); i++)
      actions.push(["create", {
        partitionKey: "p0", rowKey: "r" + String(i).padStart(7, "0"), number: i, title: "Title " + i,
        actors: JSON.stringify([`A${i % 499}`, `B${i % 499}`, `C${i % 499}`]), note: "x".repeat(150),
      }]);
    await client.submitTransaction(actions);
  }
  return n;
}

(async () => {
  const start = process.hrtime.bigint();
  const n = await { scan, gets, insert }[work](Number(count));
  console.log(Number(process.hrtime.bigint() - start) / 1e9, n);
})();
