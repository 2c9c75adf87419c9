// What of the packed package works on which runtime, each scenario in a process of its own, on the
// real CLI with a simulated model. `--write` puts the table into docs/runtimes.md; `--suite` runs the
// tests under the other versions of Node instead, with the arguments that follow given to vitest.
import { execFile, execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { page } from "./page.js";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const PACKAGE = fileURLToPath(new URL("../..", import.meta.url));
const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
const LIMIT_MS = 60_000;

const RUNTIMES = [
  { name: "Node 20", file: process.execPath },
  { name: "Node 22", file: join(HERE, "node_modules/node-22/bin/node") },
  { name: "Node 24", file: join(HERE, "node_modules/node-24/bin/node") },
  { name: "Bun", file: join(HERE, "node_modules/@oven/bun-linux-x64/bin/bun") },
  {
    name: "Deno",
    file: join(HERE, "node_modules/@deno/linux-x64-glibc/deno"),
    flags: ["run", "-A"],
  },
];

/** In the order of the table, with what each of them shows. */
const SCENARIOS = {
  complete: "`complete()`",
  stream: "`stream()`",
  session: "`openSession()` with a permission callback and an in-process tool",
  pool: "`createPool()`: two processes, four calls",
  abort: "an `AbortSignal` ends a call and its process",
  query: "`query()`",
  errors: "the errors for a missing CLI and for a CLI that dies",
  forgotten: "a session that is never closed: the program still ends, and its CLI too",
  killed: "a program that is killed with SIGKILL: its CLI ends too",
  "fake CLI": "`fakeCli()` of `hawser/testing`",
  cassette: "`record()` and `replay()` of `hawser/testing`",
};

const present = RUNTIMES.filter(({ file }) => existsSync(file));
const [flag, ...rest] = process.argv.slice(2);
if (flag === "--suite") runSuite(rest);
else await runTable(flag === "--write");

function runSuite(args) {
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  for (const { name, file } of present.filter((each) => /^Node 2[24]$/.test(each.name))) {
    console.log(`\n${name}: ${versionOf(file)}`);
    // First on PATH, for what is started by the name of node.
    const PATH = `${dirname(file)}${delimiter}${process.env.PATH}`;
    const { status } = spawnSync(file, [vitest, "run", ...args], {
      cwd: ROOT,
      stdio: "inherit",
      env: { ...process.env, PATH },
    });
    if (status !== 0) process.exitCode = 1;
  }
}

async function runTable(write) {
  const project = packedProject();
  const only = process.env.RUNTIMES_ONLY;
  const columns = [];
  for (const runtime of present) {
    const version = versionOf(runtime.file);
    const cells = {};
    for (const scenario of Object.keys(SCENARIOS)) {
      if (only !== undefined && only !== scenario) continue;
      cells[scenario] = await runScenario(project, runtime, scenario);
      console.log(`${runtime.name} ${version}: ${scenario}: ${cells[scenario] ?? "works"}`);
    }
    columns.push({ name: runtime.name, version, cells });
  }
  rmSync(project, { recursive: true, force: true });
  const text = page(SCENARIOS, columns, cliVersion());
  if (write) writeFileSync(join(ROOT, "docs/runtimes.md"), text);
  else console.log(`\n${text}`);
  if (columns.some(({ cells }) => Object.values(cells).some((cell) => cell !== undefined))) {
    process.exitCode = 1;
  }
}

/** An empty project with the tarball installed, as a user has it. */
function packedProject() {
  const project = mkdtempSync(join(tmpdir(), "hawser-runtimes-"));
  const pack = ["pack", "--ignore-scripts", "--silent", "--pack-destination", project];
  execFileSync("npm", pack, { cwd: PACKAGE, stdio: ["ignore", "pipe", "ignore"] });
  const tarball = readdirSync(project).find((name) => name.endsWith(".tgz"));
  writeFileSync(join(project, "package.json"), '{"type":"module"}');
  const install = ["install", "--offline", "--no-audit", "--no-fund", `./${tarball}`];
  execFileSync("npm", install, { cwd: project, stdio: "ignore" });
  cpSync(join(HERE, "scenarios.js"), join(project, "scenarios.js"));
  return project;
}

/**
 * Undefined if it works, else the first line of what went wrong.
 * @param {string} project
 * @param {{ file: string, flags?: string[] }} runtime
 * @param {string} scenario
 */
async function runScenario(project, { file, flags = [] }, scenario) {
  const home = mkdtempSync(join(project, "home-"));
  const env = { HOME: home, PATH: pathOf(home, file), TMPDIR: home, NO_COLOR: "1" };
  const args = [...flags, "scenarios.js", scenario, cliPath()];
  /** @type {import("node:child_process").ExecFileOptionsWithStringEncoding} */
  const options = {
    cwd: project,
    env,
    timeout: LIMIT_MS,
    killSignal: "SIGKILL",
    encoding: "utf8",
  };
  const { error, stdout, stderr } = await new Promise((resolve) => {
    execFile(file, args, options, (error, stdout, stderr) => resolve({ error, stdout, stderr }));
  });
  if (process.env.RUNTIMES_VERBOSE) console.error(stdout, stderr);
  if (error?.killed) return `does not end${stdout.includes("passed") ? " by itself" : ""}`;
  const wasKilled = scenario === "killed" && error?.signal === "SIGKILL";
  if (error !== null && !wasKilled) return reasonOf(stderr) ?? `ends with ${error.code}`;
  const pid = /^pid (\d+)$/m.exec(stdout)?.[1];
  if (pid !== undefined && !(await isGone(Number(pid)))) return "leaves its CLI behind";
  // Those of the simulated world are the program's own to remove.
  const left = () => readdirSync(home).filter((name) => /^hawser-(?!env)/.test(name));
  if (!(await comesTrue(() => left().length === 0))) return `leaves ${left().join(", ")}`;
  return undefined;
}

function isGone(pid) {
  return comesTrue(() => !existsSync(`/proc/${pid}`));
}

async function comesTrue(isTrue) {
  const limit = Date.now() + LIMIT_MS / 2;
  while (!isTrue()) {
    if (Date.now() > limit) return false;
    await sleep(50);
  }
  return true;
}

/** Bun and Deno have to do without a Node that a script could be started with. */
function pathOf(home, file) {
  const bin = join(home, "bin");
  mkdirSync(bin);
  if (/node$/.test(file)) symlinkSync(file, join(bin, "node"));
  for (const name of ["sh", "grep", "tr", "rm", "ps", "kill", "sleep", "cat", "bash"]) {
    if (existsSync(`/bin/${name}`)) symlinkSync(`/bin/${name}`, join(bin, name));
  }
  return bin;
}

function reasonOf(stderr) {
  if (process.env.RUNTIMES_VERBOSE) console.error(stderr);
  return stderr
    .split("\n")
    .find((line) => /error|Error|assert/.test(line))
    ?.trim()
    .slice(0, 160);
}

function versionOf(file) {
  return /\d+\.\d+\.\d+/.exec(execFileSync(file, ["--version"], { encoding: "utf8" }))?.[0] ?? "";
}

function cliPath() {
  const wrapper = createRequire(join(ROOT, "package.json")).resolve(
    "@anthropic-ai/claude-code/package.json",
  );
  const platform = `@anthropic-ai/claude-code-${process.platform}-${process.arch}`;
  const fromWrapper = createRequire(wrapper);
  for (const name of [platform, `${platform}-musl`]) {
    try {
      return join(dirname(fromWrapper.resolve(`${name}/package.json`)), "claude");
    } catch {
      // Not for this platform.
    }
  }
  throw new Error("The CLI's package is not installed");
}

function cliVersion() {
  return versionOf(cliPath());
}
