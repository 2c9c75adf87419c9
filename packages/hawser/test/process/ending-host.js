// A host that has made temporary folders, has started no process, and ends in the way it is told.
import { DIST } from "../../../../tools/dist.js";

const { isolatedEnv, fakeCli } = await import(`${DIST}/testing/index.js`);
await isolatedEnv();
await fakeCli();
console.log("ready");
const how = process.argv[2];
if (how === "exit") process.exit(3);
if (how === "throw") throw new Error("a bug of the program");
if (how === "reject") await Promise.reject(new Error("a bug of the program"));
if (how === "return") process.exitCode = 4;
else setInterval(() => {}, 60_000);
