// Runs every bench, so that compared figures were measured on the same machine at the same time.
import { run as cold } from "./cold.js";
import { report } from "./figures.js";
import { run as framing } from "./framing.js";
import { run as importing } from "./import.js";
import { machineFacts } from "./machine.js";
import { run as overhead } from "./overhead.js";
import { writePages } from "./pages.js";
import { COMPETITORS } from "./pool/competitors.js";
import { CALLS, OFFICIAL_CALLS, RUNS } from "./pool/throughput.js";
import { measurePool } from "./pool.js";
import { readResults, resultsOf, writeResults } from "./results.js";

const pool = await measurePool();
const others = [];
for (const bench of [framing, importing, overhead, cold]) others.push(...(await bench()));
const { observed } = await readResults();
const results = resultsOf({
  facts: await machineFacts(),
  pool,
  others,
  competitors: COMPETITORS,
  counts: { runs: RUNS, calls: CALLS, officialCalls: OFFICIAL_CALLS },
  observed,
});
await writeResults(results);
await writePages(results);
report(results.figures);
