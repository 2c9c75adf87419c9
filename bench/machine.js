import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { availableParallelism, cpus, totalmem } from "node:os";
import { promisify } from "node:util";
import { openPlace } from "../tools/place.js";

/** What the numbers of a run depend on. */
export async function machineFacts() {
  return [
    ["date", new Date().toISOString().slice(0, 10)],
    ["commit", await commit()],
    ["processor", `${cpus()[0].model}, ${availableParallelism()} cores`],
    ["memory", `${Math.round(totalmem() / 2 ** 30)} GB`],
    ["system", `${process.platform} ${process.arch}, Node ${process.versions.node}`],
    ["CLI", await cliVersion()],
    ["official SDK", await officialVersion()],
  ];
}

/** The commit that was measured. A file that was changed since is said, because it may change a figure. */
async function commit() {
  const git = async (...args) =>
    (await promisify(execFile)("git", args, { cwd: ROOT })).stdout.trim();
  const changes = await git("status", "--porcelain", "--", "packages/hawser/src", "bench/**/*.js");
  const id = await git("rev-parse", "--short", "HEAD");
  return changes === "" ? id : `${id}, with changes`;
}

const ROOT = new URL("../", import.meta.url);

async function cliVersion() {
  const place = await openPlace();
  try {
    const { cli, cwd, env } = place;
    const { stdout } = await promisify(execFile)(cli, ["--version"], { cwd, env });
    return stdout.trim();
  } finally {
    await place.close();
  }
}

async function officialVersion() {
  const entry = import.meta.resolve("@anthropic-ai/claude-agent-sdk");
  const file = await readFile(new URL("package.json", entry), "utf8");
  return `@anthropic-ai/claude-agent-sdk ${JSON.parse(file).version}`;
}
