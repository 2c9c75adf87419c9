// Every bench in one run, so that what is compared was measured on the same machine at the same time.
import { report } from "./figures.js";
import { run as framing } from "./framing.js";
import { run as importing } from "./import.js";

const figures = [];
for (const bench of [framing, importing]) figures.push(...(await bench()));
report(figures);
