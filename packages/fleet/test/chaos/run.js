// Workers that are killed, frozen and cut off while they work on runs: `npm run fleet-chaos`. The options are those of
// chaos.js, which needs Node 22.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { node22 } from "../../../../tools/node-22.js";

const program = fileURLToPath(new URL("chaos.js", import.meta.url));
const child = spawn(node22(), [program, ...process.argv.slice(2)], { stdio: "inherit" });
const [code] = await once(child, "exit");
process.exitCode = code ?? 1;
