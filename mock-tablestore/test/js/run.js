/* Runs named checks one after the other and says how each went. */
"use strict";

exports.run = async (checks) => {
	let failed = 0;
	for (const [name, check] of Object.entries(checks)) {
		try {
			await check();
			console.log(`ok ${name}`);
		} catch (e) {
			failed++;
			console.log(`FAIL ${name} ${JSON.stringify(String(e.stack || e))}`);
		}
	}
	process.exitCode = failed ? 1 : 0;
};
