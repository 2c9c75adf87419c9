// Every bench in one run, so that what is compared was measured on the same machine at the same time.
import { run as cold } from "./cold.js";
import { report } from "./figures.js";
import { run as framing } from "./framing.js";
import { run as importing } from "./import.js";
import { run as overhead } from "./overhead.js";
import { writePage } from "./page.js";
import { measurePool } from "./pool.js";

const pool = await measurePool();
const others = [];
for (const bench of [framing, importing, overhead, cold]) others.push(...(await bench()));
await writePage({ pool, others });
report([...pool.figures, ...others]);
