import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { HAWSER_VERSION } from "../../src/base/index.js";
import { fakeCli } from "../../src/testing/index.js";
import { environmentOf, stillAlive, treeOf } from "../support/proc.js";
import { HAWSER } from "../support/pty.js";

const HOST = fileURLToPath(new URL("../process/orphaning-host.js", import.meta.url));

interface Host {
  readonly pid: number;
  readonly cliPid: number;
  /** What the command says in the host's world: what it prints, and its exit code. */
  doctor(...flags: string[]): Promise<{ code: number; found: Found; left: Found; text: string }>;
  /** What the whole of `hawser doctor` finds there. */
  findings(): Promise<unknown[]>;
  kill(): Promise<void>;
}

interface Found {
  readonly processes: readonly { readonly pid: number; readonly hostPid: number }[];
  readonly folders: readonly string[];
}

/** A host without a watchdog, on a CLI that needs its private files as long as it lives. */
async function host(): Promise<Host> {
  const cli = await fakeCli({
    version: "2.1.197 (Claude Code)",
    steps: [
      { on: "start", do: [{ grandchild: { ignoreSigterm: true } }] },
      { on: "eof", times: "always", do: [] },
    ],
  });
  const tmp = mkdtempSync(join(tmpdir(), "orphans-"));
  const settings = { env: { SECRET_TOKEN: "what must not stand in argv" } };
  const env = { ...process.env, TMPDIR: tmp, HAWSER_WATCHDOG: "off" };
  const child = spawn(process.execPath, [HOST, JSON.stringify({ cliPath: cli.path, settings })], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = once(child, "exit");
  const [line] = await Promise.race([once(child.stdout, "data"), exit]);
  const cliPid = Number(line);
  const tree = treeOf(cliPid);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    for (const { pid } of stillAlive(tree)) process.kill(pid, "SIGKILL");
    rmSync(tmp, { recursive: true, force: true });
    await cli.dispose();
  });
  const pid = child.pid ?? 0;
  return {
    pid,
    cliPid,
    kill: async () => {
      child.kill("SIGKILL");
      await exit;
    },
    findings: async () => {
      const { text } = await hawser(["doctor", "--json", "--cli", cli.path], env);
      return JSON.parse(text).findings;
    },
    doctor: async (...flags) => {
      const args = ["doctor", "--orphans", `--host=${pid}`, ...flags];
      const { code, text } = await hawser(args, env);
      const report = flags.includes("--json") ? JSON.parse(text) : {};
      return { code, text, ...report };
    },
  };
}

function hawser(args: string[], env = process.env): Promise<{ code: number; text: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [HAWSER, ...args], { env }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, text: stdout + stderr }),
    );
  });
}

describe.skipIf(process.platform !== "linux")("hawser doctor --orphans", () => {
  it("does not list processes and folders of a living host", async () => {
    const living = await host();
    expect(environmentOf(living.cliPid)).toContain(`.${living.pid}.`);
    expect(await living.doctor()).toMatchObject({ code: 0, text: "No orphans.\n" });
  });

  it("lists what a killed host has left, and ends it with --end", async () => {
    const killed = await host();
    const tree = treeOf(killed.cliPid);
    expect(tree).toHaveLength(2);
    await killed.kill();
    const { code, found, left } = await killed.doctor("--json");
    expect(code).toBe(1);
    expect(left).toEqual(found);
    expect(found.processes.map(({ pid }) => pid).sort()).toEqual(tree.map(({ pid }) => pid).sort());
    expect(new Set(found.processes.map(({ hostPid }) => hostPid))).toEqual(new Set([killed.pid]));
    expect(found.folders.flatMap((folder) => readdirSync(folder))).toEqual(["settings.json"]);
    // A name proves nothing, because a link can lead anywhere.
    symlinkSync(tmpdir(), `${found.folders[0]}0`);
    expect((await killed.doctor("--json")).found.folders).toEqual(found.folders);
    expect((await killed.doctor()).text).toContain(
      `process ${killed.cliPid}, left by ${killed.pid}`,
    );
    // Among all else that may be wrong, it is no more than a warning.
    expect(await killed.findings()).toContainEqual(
      expect.objectContaining({
        id: "orphans",
        level: "warning",
        message: expect.stringMatching(/left processes \(\d+\) and folders \(1\)/),
      }),
    );
    expect(stillAlive(tree)).toEqual(tree);

    const ended = await killed.doctor("--end");
    expect(ended).toMatchObject({
      code: 0,
      text: expect.stringContaining("All of them are gone."),
    });
    expect(stillAlive(tree)).toEqual([]);
    expect(found.folders.filter((folder) => existsSync(folder))).toEqual([]);
    expect((await killed.doctor()).text).toBe("No orphans.\n");
  });
});

describe("hawser", () => {
  it.each([
    [["doctor", "--orphans", "--host=me"], "--host must be a process id, not me.", "--help"],
    [["doctor", "--end"], "--end works only with --orphans.", "--help"],
    [["doctor", "--orphens"], "Unknown option --orphens.", "Did you mean --orphans?"],
    [["docter"], 'Unknown command "docter".', "Did you mean `hawser doctor`?"],
    [["knots"], 'Unknown command "knots".', "See `hawser --help`."],
  ])("refuses %j with a hint", async (args, why, what) => {
    const { code, text } = await hawser(args);
    expect(code).toBe(64);
    expect(text).toContain(why);
    expect(text).toContain(what);
  });

  it.each([
    [["--help"], "hawser doctor"],
    [[], "hawser doctor"],
    [["doctor", "--help"], "hawser doctor --orphans --end"],
    [["help", "doctor"], "hawser doctor --orphans --end"],
  ])("prints the help for %j", async (args, what) => {
    expect(await hawser(args)).toMatchObject({ code: 0, text: expect.stringContaining(what) });
  });

  it("prints its version", async () => {
    expect(await hawser(["--version"])).toEqual({ code: 0, text: `${HAWSER_VERSION}\n` });
  });
});
