import { execFile } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { complete } from "../../src/complete/index.js";
import type { Options } from "../../src/options/index.js";
import type { ExplainedCall } from "../../src/process/index.js";
import { openSession } from "../../src/session/index.js";
import { type FakeCli, fakeCli, type IsolatedEnv, isolatedEnv } from "../../src/testing/index.js";
import { HAWSER, hawserIn } from "../support/pty.js";

const PLANTED = "planted-9f3c1e7a5b2d";

async function place(): Promise<IsolatedEnv & { readonly cli: FakeCli }> {
  const cli = await fakeCli({
    version: "2.1.325 (Claude Code)",
    steps: [{ on: "user", times: "always", do: [{ turn: "Hello." }] }],
  });
  const extra = { ANTHROPIC_API_KEY: PLANTED, NODE_OPTIONS: "--no-warnings", CLAUDECODE: "1" };
  const world = await isolatedEnv({ extra });
  onTestFinished(async () => {
    await world.dispose();
    await cli.dispose();
  });
  return { ...world, cli };
}

function explain({ env, cwd }: IsolatedEnv, ...args: string[]) {
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const all = [HAWSER, "explain", ...args];
    const child = execFile(process.execPath, all, { env, cwd }, (_, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });
}

/** Ids and temporary paths differ each time. */
function settled(argv: readonly string[]): string[] {
  return argv.map((each) => {
    return each
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "ID")
      .replace(/\S*\/hawser-[^/]+\//, "PRIVATE/");
  });
}

/** What is given by name is passed on, whatever it is. */
function passedOn({ CLAUDECODE: _, NODE_OPTIONS: __, ...env }: Record<string, string>) {
  return env;
}

describe("hawser explain --shell", () => {
  it("prints one line that starts the same command in a shell, with secrets masked", async () => {
    const world = await place();
    const { cli, cwd, env } = world;
    const flags = [
      "--cli",
      cli.path,
      "--agent",
      "--cwd",
      cwd,
      "--deny",
      "Bash(echo 'it''s' $HOME)",
    ];
    const { code, out } = await explain(world, "--shell", ...flags);
    expect(code).toBe(0);
    expect(out.trimEnd()).not.toContain("\n");
    expect(out).not.toContain(PLANTED);
    const before = (await cli.recorded()).length;
    const shell = execFile("sh", ["-c", out], { env, cwd: "/" });
    shell.stdin?.end();
    await once(shell, "close");
    const started = (await cli.recorded())[before];
    const { command, environment } = JSON.parse((await explain(world, "--json", ...flags)).out);
    // The fake is a script, so that the command begins with Node and the script.
    expect(settled(started?.argv ?? [])).toEqual(settled(command.slice(2)));
    expect(started?.cwd).toBe(cwd);
    expect(started?.env).toMatchObject(environment.set);
    for (const name of environment.removed) expect(started?.env).not.toHaveProperty(name);
  });

  it("is refused together with --json", async () => {
    const { code, out } = await explain(await place(), "--shell", "--json");
    expect(code).toBe(64);
    expect(JSON.parse(out).error.message).toBe("Use --shell or --json, not both.");
  });
});

describe("hawser explain", () => {
  it("prints for ask what complete() starts", async () => {
    const world = await place();
    const { cli, cwd, env } = world;
    const system = join(cwd, "system.txt");
    writeFileSync(system, "Tie knots.");
    const flags = ["-m", "sonnet", "-t", "Read,Grep", "--deny", "Read(./.env)", "--system"];
    const all = ["--cli", cli.path, "--cwd", cwd, "--json", ...flags, `@${system}`];
    const { code, out } = await explain(world, ...all);
    expect(code).toBe(0);
    const told: ExplainedCall & { entry: string } = JSON.parse(out);
    expect(told).toMatchObject({
      entry: "ask",
      cli: { path: cli.path, source: "option", version: "2.1.325" },
      initialize: { subtype: "initialize", systemPrompt: ["Tie knots."] },
    });

    const options: Options = {
      model: "sonnet",
      tools: ["Read", "Grep"],
      disallowedTools: ["Read(./.env)"],
      systemPrompt: "Tie knots.",
      includePartialMessages: true,
    };
    const { env: real, argv } = await started(world, () =>
      complete("?", { ...options, cliPath: cli.path, cwd, env: passedOn(env), inheritEnv: false }),
    );
    expect(settled(told.command)).toEqual(settled([process.execPath, cli.path, ...argv]));
    const names = [...Object.keys(told.environment.set), ...told.environment.kept];
    expect(names).toContain("ANTHROPIC_API_KEY");
    expect(Object.keys(real).sort()).toEqual(["HAWSER_MARK", ...names].sort());
    expect(told.environment.removed).toEqual(["CLAUDECODE", "NODE_OPTIONS"]);
    expect(out).not.toContain(PLANTED);
  });

  it("prints for chat what openSession() starts", async () => {
    const world = await place();
    const { cli, cwd, env } = world;
    const flags = ["--chat", "--mode", "plan", "--resume", "00000000-0000-4000-8000-000000000001"];
    const { out } = await explain(world, "--cli", cli.path, "--json", ...flags);
    const told: ExplainedCall & { entry: string } = JSON.parse(out);
    expect(told.entry).toBe("chat");
    const { argv, env: real } = await started(world, async () => {
      const session = await openSession({
        permissionMode: "plan",
        resume: "00000000-0000-4000-8000-000000000001",
        enableFileCheckpointing: true,
        includePartialMessages: true,
        cliPath: cli.path,
        cwd,
        env: passedOn(env),
        inheritEnv: false,
      });
      await session.close();
    });
    expect(settled(told.command)).toEqual(settled([process.execPath, cli.path, ...argv]));
    for (const [name, value] of Object.entries(told.environment.set))
      expect(real[name]).toBe(value);
  });

  it.each([
    ["ask", []],
    ["chat", ["--chat"]],
  ])("prints what `hawser %s` starts", async (name, entry) => {
    const world = await place();
    const { cli, cwd, env } = world;
    const flags = ["--cli", cli.path, "--deny", "Read(./.env)", "--effort", "low"];
    const told: ExplainedCall = JSON.parse(
      (await explain(world, ...entry, ...flags, "--json")).out,
    );
    const { argv, env: real } = await started(world, async () => {
      const child = execFile(process.execPath, [HAWSER, name, ...flags, "Hello."], { env, cwd });
      child.stdin?.end();
      await once(child, "exit");
    });
    expect(settled(told.command)).toEqual(settled([process.execPath, cli.path, ...argv]));
    const names = [...Object.keys(told.environment.set), ...told.environment.kept];
    expect(Object.keys(real).sort()).toEqual(["HAWSER_MARK", ...names].sort());
  });

  it("prints readable sections in a terminal", async () => {
    const { env, cwd, cli } = await place();
    const servers = join(cwd, "servers.json");
    writeFileSync(
      servers,
      JSON.stringify({ mcpServers: { a: { command: "a", env: { API_KEY: PLANTED } } } }),
    );
    const args = ["explain", "--cli", cli.path, "--agent", "--trust", "--mcp", servers];
    const pty = hawserIn({ env, cwd, cols: 400 }, ...args, "Name three knots.");
    expect((await pty.exit).code).toBe(0);
    expect(pty.text).toContain(`cli\n  ${cli.path}, 2.1.325 (option)`);
    expect(pty.text).toContain("--setting-sources=project");
    // There, a person can be asked.
    expect(pty.text).toContain("--permission-prompt-tool");
    expect(pty.text).toContain("  NODE_OPTIONS is removed");
    expect(pty.text).toMatch(/variables passed on unchanged\n {2}ANTHROPIC_API_KEY /);
    expect(pty.text).not.toContain(PLANTED);
    // A prompt is never an argument.
    expect(pty.text).not.toContain("Name three knots");
    expect((await cli.recorded()).map(({ argv }) => argv)).toEqual([["-v"]]);
  });

  it("prints the schema in initialize, and refuses what ask refuses", async () => {
    const world = await place();
    const schema = join(world.cwd, "knot.json");
    writeFileSync(schema, '{ "type": "object" }');
    const cli = ["--cli", world.cli.path];
    const { out } = await explain(world, ...cli, "--schema", schema, "--json");
    expect(JSON.parse(out).initialize).toMatchObject({ jsonSchema: { type: "object" } });
    const refused = await explain(world, ...cli, "--mode", "plann");
    expect(refused.code).toBe(64);
    expect(refused.err).toContain("There is no permission mode plann. Did you mean plan?");
    expect(refused.err).toContain("Use one of: default, acceptEdits");
    expect((await explain(world, "--cli", "/nowhere/claude")).code).toBe(127);
  });
});

/** What was started by the call itself, after the CLI was asked for its version. */
async function started({ cli }: { readonly cli: FakeCli }, call: () => Promise<unknown>) {
  const before = (await cli.recorded()).length;
  await call();
  const sessions = (await cli.recorded()).slice(before).filter(({ argv }) => argv[0] !== "-v");
  const [one] = sessions;
  if (one === undefined || sessions.length > 1) throw new Error(`${sessions.length} were started`);
  return one;
}
