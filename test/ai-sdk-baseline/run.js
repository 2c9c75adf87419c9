// Runs the same programs of the AI SDK with @hawser/ai-sdk and with ai-sdk-provider-claude-code, on the same CLI with
// a simulated model, and writes what was observed into docs/ai-sdk.md. Arguments are names of programs: then only
// these run, and no page is written.
import { fork } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { PROGRAMS } from "./programs.js";
import { SIDES } from "./support/sides.js";
import { cellOf, verdictOf, writeTable } from "./support/table.js";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const node = newerNode();
const given = process.argv.slice(2);
const rows = [];
let broken = 0;
for (const key of given.length > 0 ? given : Object.keys(PROGRAMS)) {
  console.log(`\n${key}`);
  const row = { key, title: PROGRAMS[key].title, cells: {} };
  for (const name of Object.keys(SIDES)) {
    const outcome = await runProgram(name, key);
    row.cells[name] = cellOf(outcome);
    console.log(`  ${SIDES[name].label}: ${row.cells[name]}`);
    if (name === "hawser" && verdictOf(outcome) === "does not work") broken++;
  }
  rows.push(row);
}
if (given.length === 0) await writeTable(rows, node);
console.log(`\n${rows.length} programs; ${broken} do not work with @hawser/ai-sdk`);
process.exitCode = broken === 0 ? 0 : 1;

/** The AI SDK needs Node 22. It comes as a package without an install script. */
function newerNode() {
  const file = join(HERE, "node_modules/node-22/bin/node");
  if (existsSync(file)) return file;
  if (Number(process.versions.node.split(".")[0]) >= 22) return process.execPath;
  console.error("The programs need Node 22. Run `npm ci` in test/ai-sdk-baseline on Linux.");
  return process.exit(1);
}

/** Each program is a process with a home of its own, and without the variables of this process. */
async function runProgram(name, key) {
  const home = mkdtempSync(join(tmpdir(), "hawser-baseline-"));
  const output = process.env.BASELINE_VERBOSE ? "inherit" : "ignore";
  const child = fork(join(HERE, "support/run-program.js"), [name, key], {
    cwd: home,
    execPath: node,
    stdio: ["ignore", output, output, "ipc"],
    env: {
      HOME: home,
      TMPDIR: home,
      LANG: process.env.LANG ?? "C.UTF-8",
      PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
      NO_COLOR: "1",
      ...(process.env.BASELINE_VERBOSE ? { BASELINE_VERBOSE: "1" } : {}),
    },
  });
  try {
    return await new Promise((resolve) => {
      child.once("message", resolve);
      child.once("exit", (code, signal) => {
        resolve({ first: { passed: false, note: `the program ended with ${code ?? signal}` } });
      });
    });
  } finally {
    if (child.exitCode === null && child.signalCode === null) {
      await new Promise((resolve) => child.once("exit", resolve));
    }
    rmSync(home, { recursive: true, force: true });
  }
}
