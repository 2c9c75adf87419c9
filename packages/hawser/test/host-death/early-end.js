// A program that is killed as soon as it has started its CLI, before any watchdog can know of it. Prints
// the process id of the CLI.
import { writeSync } from "node:fs";
import { DIST } from "../../../../tools/dist.js";

const { complete, processes } = await import(`${DIST}/index.js`);
const options = JSON.parse(process.argv[2]);
// The outcome never arrives.
complete("go", options).catch(() => {});

function look() {
  const [cli] = processes();
  if (cli === undefined) {
    setImmediate(look);
    return;
  }
  writeSync(1, String(cli.pid));
  process.kill(process.pid, "SIGKILL");
}
look();
