/* What the official clients expect of newer Node: Debian 12 has Node 18. */
"use strict";
globalThis.crypto ??= require("node:crypto").webcrypto;
