// A program that opens a session on the CLI it is told of, says so, and waits for its end.
import { DIST } from "../../../../tools/dist.js";

const { openSession } = await import(`${DIST}/index.js`);
const { cliPath, settings } = JSON.parse(process.argv[2]);
const session = await openSession({ cliPath, settings });
console.log(session.pid);
setInterval(() => {}, 60_000);
