import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Options } from "../../src/options/index.js";
import { prepare, resolveUser, spawnCli } from "../../src/process/index.js";
import { fakeCli, type Scenario } from "../../src/testing/index.js";
import { until } from "../support/proc.js";

async function fake(scenario: Scenario = {}) {
  const cli = await fakeCli(scenario);
  onTestFinished(() => cli.dispose());
  return cli;
}

async function start(options: Options) {
  const prepared = await prepare(options);
  const process = await spawnCli(prepared);
  onTestFinished(() => process.kill());
  return { prepared, process };
}

const SECRET_SERVER = {
  files: { type: "stdio", command: "true", args: [], env: { KEY: "canary-canary" } },
} as const;

describe("private files of a process", () => {
  it("are readable by their owner only, and removed when the process has read them", async () => {
    const cli = await fake();
    const { prepared, process } = await start({ cliPath: cli.path, mcpServers: SECRET_SERVER });
    const [file] = prepared.invocation.files;
    if (file === undefined) throw new Error("no file was written");
    expect(statSync(file.path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(file.path)).mode & 0o777).toBe(0o700);
    await process.initialized();
    expect(existsSync(dirname(file.path))).toBe(false);
  });

  it("are removed when the process ends, at the latest", async () => {
    const cli = await fake();
    const { prepared, process } = await start({ cliPath: cli.path, mcpServers: SECRET_SERVER });
    const folder = dirname(prepared.invocation.files[0]?.path ?? "");
    expect(existsSync(folder)).toBe(true);
    await process.close();
    expect(existsSync(folder)).toBe(false);
  });

  it("stay until the process ends if the CLI reads them again", async () => {
    const cli = await fake({ version: "2.1.197 (Claude Code)" });
    const rules = Array.from({ length: 600 }, (_, i) => `Bash(command-${i} *)`);
    const { prepared, process } = await start({ cliPath: cli.path, disallowedTools: rules });
    const [file] = prepared.invocation.files;
    await process.initialized();
    expect(existsSync(file?.path ?? "")).toBe(true);
    await process.close();
    expect(existsSync(file?.path ?? "")).toBe(false);
  });

  it("that cannot be written are an error, and no process starts", async () => {
    const cli = await fake();
    const prepared = await prepare({ cliPath: cli.path, mcpServers: SECRET_SERVER });
    const folder = dirname(prepared.invocation.files[0]?.path ?? "");
    mkdirSync(folder);
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    await expect(spawnCli(prepared)).rejects.toMatchObject({ code: "spawn_failed" });
    expect((await cli.recorded()).filter(({ argv }) => argv[0] !== "-v")).toEqual([]);
  });
});

describe("spawnCli() when Node cannot start the process", () => {
  it("reports E2BIG as argument_too_long", async () => {
    const cli = await fake();
    const env = { HUGE: "x".repeat(3_000_000) };
    const expected = { code: "argument_too_long" };
    // The question about the version has the same environment, and fails first.
    await expect(prepare({ cliPath: cli.path, env })).rejects.toMatchObject(expected);
    await prepare({ cliPath: cli.path });
    const prepared = await prepare({ cliPath: cli.path, env });
    await expect(spawnCli(prepared)).rejects.toMatchObject(expected);
  });

  it("reports a NUL in an argument as invalid_options", async () => {
    const cli = await fake();
    await expect(prepare({ cliPath: cli.path, model: "a\0b" })).rejects.toMatchObject({
      code: "invalid_options",
    });
    const prepared = await prepare({ cliPath: cli.path });
    const invocation = { ...prepared.invocation, argv: [...prepared.invocation.argv, "a\0b"] };
    await expect(spawnCli({ ...prepared, invocation })).rejects.toMatchObject({
      code: "invalid_options",
    });
  });

  it("distinguishes ENOENT of the executable, the cwd and the interpreter", async () => {
    const cli = await fake();
    const prepared = await prepare({ cliPath: cli.path });
    const folder = mkdtempSync(join(tmpdir(), "hawser-enoent-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const script = join(folder, "script");
    writeFileSync(script, "#!/no/such/interpreter\n", { mode: 0o755 });
    const failing = (facts: object) =>
      spawnCli({ ...prepared, invocation: { ...prepared.invocation, ...facts } });
    await expect(failing({ file: "/no/such/file" })).rejects.toMatchObject({
      code: "cli_not_found",
    });
    await expect(failing({ cwd: join(folder, "gone") })).rejects.toMatchObject({
      code: "cwd_not_found",
    });
    await expect(failing({ file: script })).rejects.toMatchObject({
      code: "cli_not_runnable",
      message: `The CLI at ${script} cannot be run: its first line names /no/such/interpreter, which does not exist.`,
      hint: expect.stringContaining("/no/such/interpreter"),
    });
    await expect(failing({ file: folder })).rejects.toMatchObject({ code: "cli_not_runnable" });
    expect(readdirSync(folder)).toEqual(["script"]);
  });
});

describe("a process of spawnCli()", () => {
  it("has a marker of its own beside an inherited one", async () => {
    const cli = await fake();
    const outer = "outer-marker";
    const { process } = await start({ cliPath: cli.path, env: { HAWSER_MARK: outer } });
    const seen = await until(async () =>
      (await cli.recorded()).find(({ pid }) => pid === process.pid),
    );
    expect(seen.env["HAWSER_MARK"]).toMatch(
      /^outer-marker:[0-9a-f]{8}\.\d+\.\d+\.[0-9a-f]{8}\/[0-9a-f-]{36}$/,
    );
  });

  const isRoot = process.getuid?.() === 0;
  it.skipIf(!isRoot)("runs as `user`, who also owns its files", async () => {
    // One of its own that anybody may write to.
    const folder = mkdtempSync(join(tmpdir(), "hawser-record-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    chmodSync(folder, 0o777);
    const cli = await fake({ record: join(folder, "record") });
    const { prepared, process } = await start({
      cliPath: cli.path,
      user: "nobody",
      cwd: "/",
      mcpServers: SECRET_SERVER,
    });
    const [file] = prepared.invocation.files;
    const { uid, gid } = prepared.user ?? { uid: -1, gid: -1 };
    expect(uid).toBeGreaterThan(0);
    const owned = statSync(file?.path ?? "");
    expect({ uid: owned.uid, gid: owned.gid }).toEqual({ uid, gid });
    const child = statSync(`/proc/${process.pid}`);
    expect({ uid: child.uid, gid: child.gid }).toEqual({ uid, gid });
  });

  it.skipIf(!isRoot)("has the HOME of `user`, also when it is asked for its version", async () => {
    const { home } = await resolveUser("nobody");
    expect(home).not.toBe(homedir());
    expect(await homesOf({})).toEqual([home, home]);
  });

  it.skipIf(!isRoot)("keeps the HOME that `env` gives with `user`", async () => {
    expect(await homesOf({ HOME: "/tmp" })).toEqual(["/tmp", "/tmp"]);
  });

  /** HOME of the process that was asked for its version, and of the one that serves. */
  async function homesOf(env: Record<string, string>) {
    const folder = mkdtempSync(join(tmpdir(), "hawser-record-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    chmodSync(folder, 0o777);
    const cli = await fake({ record: join(folder, "record") });
    await start({ cliPath: cli.path, user: "nobody", cwd: "/", env });
    const seen = await until(async () => {
      const all = await cli.recorded();
      return all.length === 2 && all;
    });
    return seen.map((each) => each.env["HOME"]);
  }
});
