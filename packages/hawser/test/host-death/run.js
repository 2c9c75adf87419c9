// Kills a host in the middle of a turn of the real CLI, and looks at what is left of it. Prints one
// line of JSON. The CLI runs a command in the foreground, one in the background, and an MCP server.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { DIST } from "../../../../tools/dist.js";
import { ENDINGS } from "./ending.js";
import { living, treeOf } from "./tree.js";

const { always, isolatedEnv, SimulatedModel, toolUse } = await import(`${DIST}/testing/index.js`);
const here = (name) => fileURLToPath(new URL(name, import.meta.url));

const { values } = parseArgs({
  options: {
    cli: { type: "string" },
    entry: { type: "string", default: "session" },
    ending: { type: "string", default: "SIGKILL" },
    clis: { type: "string", default: "1" },
    host: { type: "string", default: here("./host.js") },
    watchdog: { type: "string", default: "on" },
    // How long to wait for the end of all processes. A run that shows survivors waits this long.
    waitMs: { type: "string", default: "30000" },
  },
});
const clis = Number(values.clis);
const waitMs = Number(values.waitMs);
const mark = `HOST_DEATH=${randomUUID()}`;
const COMMAND = "tail -f /dev/null";
const BUSY_LIMIT_MS = 120_000;

const model = await SimulatedModel.start({
  replies: always(({ toolResults }) =>
    toolUse("Bash", { command: COMMAND, run_in_background: toolResults.length === 0 }),
  ),
});
const world = await isolatedEnv({ baseUrl: model.url });
const temporary = await mkdtemp(join(tmpdir(), "host-death-"));
try {
  console.log(JSON.stringify(await die()));
} finally {
  await model.close();
  await world.dispose();
  await rm(temporary, { recursive: true, force: true });
}

async function die() {
  const host = startHost();
  const gone = new Promise((resolve) => host.child.once("exit", resolve));
  try {
    await busy(host);
  } catch (error) {
    host.child.kill("SIGKILL");
    await clearAway([], host.child.pid);
    throw error;
  }
  const before = treeOf(host.child.pid, mark);
  const filesBefore = await ours();
  const begun = performance.now();
  ENDINGS[values.ending](host.child);
  await gone;
  let left = before;
  while (left.length > 0 && performance.now() - begun < waitMs) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    left = everythingLeft(before, host.child.pid);
  }
  const goneMs = Math.round(performance.now() - begun);
  const files = await filesLeft(waitMs - goneMs);
  await clearAway(before, host.child.pid);
  return {
    entry: values.entry,
    ending: values.ending,
    before: before.map(({ command }) => command.slice(0, 60)),
    filesBefore: filesBefore.length,
    left: left.map(({ command }) => command.slice(0, 60)),
    goneMs,
    files,
  };
}

function startHost() {
  const options = {
    cliPath: values.cli,
    cwd: world.cwd,
    env: { ...world.env, [mark.split("=")[0]]: mark.split("=")[1] },
    mcpServers: { stays: { command: process.execPath, args: [here("./mcp-server.js")] } },
  };
  const job = { entry: values.entry, ending: values.ending, clis, options };
  const child = spawn(process.execPath, [values.host, JSON.stringify(job)], {
    env: { ...process.env, TMPDIR: temporary, HAWSER_WATCHDOG: values.watchdog },
    stdio: ["pipe", "ignore", "pipe"],
  });
  const host = { child, stderr: "" };
  child.stdin.on("error", () => {});
  child.stderr.on("data", (chunk) => {
    host.stderr += chunk;
  });
  return host;
}

/** Waits until every CLI runs its commands and its MCP server. */
async function busy(host) {
  const { child } = host;
  const until = performance.now() + BUSY_LIMIT_MS;
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`The host has ended before its time: ${host.stderr}`);
    }
    const tree = treeOf(child.pid, mark);
    if (performance.now() > until) throw new Error(`It never got busy: ${JSON.stringify(tree)}`);
    const count = (end) => tree.filter(({ command }) => command.endsWith(end)).length;
    if (count(COMMAND) === 2 * clis && count("mcp-server.js") === clis) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** The processes from before, and new ones, because a dying process may start another. */
function everythingLeft(before, pid) {
  const left = new Map([...living(before), ...treeOf(pid, mark)].map((each) => [each.pid, each]));
  return [...left.values()];
}

async function clearAway(before, pid) {
  for (;;) {
    const left = everythingLeft(before, pid);
    if (left.length === 0) return;
    for (const each of left) {
      try {
        process.kill(each.pid, "SIGKILL");
      } catch {
        // It has ended with another process.
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function ours() {
  return (await readdir(temporary)).filter((name) => name.startsWith("hawser-"));
}

/** The files that are left. The watchdog removes the files last. */
async function filesLeft(limitMs) {
  const until = performance.now() + limitMs;
  for (;;) {
    const left = await ours();
    if (left.length === 0 || performance.now() > until) return left;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
