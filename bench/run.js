// Every bench in one run, so that what is compared was measured on the same machine at the same time.
import { run as cold } from "./cold.js";
import { report } from "./figures.js";
import { run as framing } from "./framing.js";
import { run as importing } from "./import.js";
import { run as overhead } from "./overhead.js";

const figures = [];
for (const bench of [framing, importing, overhead, cold]) figures.push(...(await bench()));
report(figures);
