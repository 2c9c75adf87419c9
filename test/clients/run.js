// Runs real client libraries against the gateway on the real CLI and a simulated model. Arguments are names of
// files in `clients`, without `.js`; the default is all of them.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const CLIENTS = join(HERE, "clients");

const node = newerNode();
const given = process.argv.slice(2);
const all = readdirSync(CLIENTS).map((file) => file.replace(/\.js$/, ""));
let passed = 0;
let failed = 0;
for (const name of given.length > 0 ? given : all) {
  console.log(`\n${name}`);
  const counts = await runClient(name);
  passed += counts.passed;
  failed += counts.failed;
}
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

/** Some of the clients need Node 22. It comes as a package without an install script. */
function newerNode() {
  const file = join(HERE, "node_modules/node-22/bin/node");
  if (existsSync(file)) return file;
  if (Number(process.versions.node.split(".")[0]) >= 22) return process.execPath;
  console.error("The clients need Node 22. Run `npm ci` in test/clients on Linux, or use Node 22.");
  return process.exit(1);
}

/** Each client is a process with a home of its own, and without the variables of this process. */
async function runClient(name) {
  const home = mkdtempSync(join(tmpdir(), "hawser-clients-"));
  const child = spawn(node, [join(CLIENTS, `${name}.js`)], {
    cwd: home,
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      HOME: home,
      TMPDIR: home,
      LANG: process.env.LANG ?? "C.UTF-8",
      PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
      NO_COLOR: "1",
      // The gateway runs on the Node of this process, which may be older.
      GATEWAY_NODE: process.execPath,
      ...chosen("CLIENTS_CHECK", "CLIENTS_VERBOSE"),
    },
  });
  const counts = { passed: 0, failed: 0 };
  for await (const line of createInterface({ input: child.stdout })) {
    console.log(`  ${line}`);
    if (line.startsWith("passed: ")) counts.passed++;
    if (line.startsWith("failed: ")) counts.failed++;
  }
  const code = child.exitCode ?? (await new Promise((resolve) => child.once("exit", resolve)));
  if (code !== 0) {
    console.log(`  failed: the process of ${name} ended with ${code ?? child.signalCode}`);
    counts.failed++;
  }
  rmSync(home, { recursive: true, force: true });
  return counts;
}

function chosen(...names) {
  return Object.fromEntries(
    names
      .filter((name) => process.env[name] !== undefined)
      .map((name) => [name, process.env[name]]),
  );
}
