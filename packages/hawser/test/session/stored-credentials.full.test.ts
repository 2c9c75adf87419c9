import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Options } from "../../src/options/index.js";
import { openSession } from "../../src/session/index.js";
import { always, fakeCli, type IsolatedEnv, isolatedEnv } from "../../src/testing/index.js";
import { InMemorySessionStore, projectKeyOf } from "../../src/transcripts/index.js";
import { BUILT_ROOT } from "../support/built.js";
import { clisInTurn } from "../support/cli.js";
import { HAWSER } from "../support/pty.js";
import { type World, world } from "../support/world.js";

/** The files in which the CLI keeps credentials. */
const STORED = [".credentials.json", ".claude.json"];

/** One program for each way in which hawser comes near the configuration of the CLI. */
const PROGRAMS: Readonly<Record<string, string>> = {
  "openSession() with sessionStore and resume": `
    const sessionStore = new H.InMemorySessionStore();
    await sessionStore.append({ projectKey: H_KEY, sessionId: ID }, [
      { type: "user", uuid: ID, sessionId: ID, message: { role: "user", content: "before" } },
    ]);
    const session = await H.openSession({ cliPath, sessionStore, resume: ID });
    if ((await session.send("go").text()) !== "ok") throw new Error("no answer");
    await session.close();`,
  "complete()": `await H.complete("go", { cliPath });`,
  "listSessions()": "await H.listSessions(); await H.listSessions({ dir: process.cwd() });",
  "checkCli()": "await H.checkCli({ cliPath });",
  "explain()": "await H.explain({ cliPath });",
};

describe.skipIf(process.platform === "win32")("the stored credentials of the CLI", () => {
  it.each(Object.keys(PROGRAMS))("are not opened by %s", async (name) => {
    const place = await withFifos();
    await using cli = await fakeCli({
      steps: [{ on: "user", times: "always", do: [{ turn: "ok" }] }],
    });
    const key = await projectKeyOf(place.cwd);
    const source = `
      import * as H from ${JSON.stringify(BUILT_ROOT)};
      const [cliPath, H_KEY, ID] = ${JSON.stringify([cli.path, key, randomUUID()])};
      ${PROGRAMS[name]}`;
    await runsWithoutReading(place, ["--input-type=module", "-e", source]);
  });

  it("are not opened by hawser doctor", async () => {
    const place = await withFifos();
    await using cli = await fakeCli();
    await runsWithoutReading(place, [HAWSER, "doctor", "--cli", cli.path]);
  });
});

/** A world in which each file with credentials is a FIFO: a program that opens it to read blocks. */
async function withFifos(): Promise<IsolatedEnv> {
  const place = await isolatedEnv();
  onTestFinished(() => place.dispose());
  for (const name of STORED) {
    const path = join(place.configDir, name);
    rmSync(path, { force: true });
    execFileSync("mkfifo", [path]);
  }
  return place;
}

/** Runs a program to its end and fails as soon as a FIFO has a reader. */
async function runsWithoutReading(
  { env, cwd, configDir }: IsolatedEnv,
  args: readonly string[],
): Promise<void> {
  const child = spawn(process.execPath, args, { env, cwd, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = endOf(child);
  let seen: Awaited<typeof ended> | undefined;
  void ended.then((end) => {
    seen = end;
  });
  while (seen === undefined) {
    for (const name of STORED) {
      if (hasReader(join(configDir, name))) throw new Error(`${name} was opened`);
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(seen).toMatchObject({ code: 0 });
}

function endOf(child: ChildProcess): Promise<{ code: number | null; said: string }> {
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
  }
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, said })));
}

/** A non-blocking open for writing fails with ENXIO as long as no process reads, or waits to. */
function hasReader(path: string): boolean {
  try {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
    return true;
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toBe("ENXIO");
    return false;
  }
}

describe.each(clisInTurn())("openSession() with sessionStore and resume on $name", ({ path }) => {
  it.each(["CLAUDE_CONFIG_DIR", "the default folder"])(
    "lets the CLI use its own login in %s",
    async (where) => {
      const place = await withLogin(path, where === "CLAUDE_CONFIG_DIR");
      const sessionStore = new InMemorySessionStore();
      const id = randomUUID();
      await say(place, { sessionStore, sessionId: id });
      const state = stateFileOf(place);
      rmSync(join(place.configDir, "projects"), { recursive: true });
      const temporary = place.env["TMPDIR"] ?? "";
      vi.stubEnv("TMPDIR", temporary);
      onTestFinished(() => void vi.unstubAllEnvs());

      await using session = await openSession({ ...place.options, sessionStore, resume: id });
      expect(await session.send("again").text()).toBe("ok");
      const [config = ""] = configurationsIn(temporary);
      for (const name of [".claude.json", "settings.json", "CLAUDE.md"]) {
        expect(lstatSync(join(config, name)).isSymbolicLink()).toBe(true);
      }
      expect(existsSync(join(config, ".credentials.json"))).toBe(false);
      await session.close();

      expect(configurationsIn(temporary)).toEqual([]);
      const call = JSON.stringify(place.model.calls.at(-1)?.body);
      for (const word of ["first", "again", "USER-MEMORY"]) expect(call).toContain(word);
      expect(place.model.calls.every(({ headers }) => headers["authorization"])).toBe(true);
      expect(readFileSync(join(place.configDir, ".credentials.json"), "utf8")).toBe(LOGIN);
      expect(JSON.parse(readFileSync(state, "utf8"))).toHaveProperty("projects");
    },
  );
});

const LOGIN = JSON.stringify({
  claudeAiOauth: {
    accessToken: "made-up-access",
    refreshToken: "made-up-refresh",
    expiresAt: 4_102_444_800_000,
    scopes: ["user:inference", "user:profile"],
    subscriptionType: "max",
  },
});

/** A world without a key in the environment, in which the CLI has a login file. */
async function withLogin(cliPath: string, named: boolean): Promise<World> {
  const extra = {
    ANTHROPIC_API_KEY: undefined,
    ...(named ? {} : { CLAUDE_CONFIG_DIR: undefined }),
  };
  const place = await world(cliPath, always("ok"), { extra });
  writeFileSync(join(place.configDir, ".credentials.json"), LOGIN, { mode: 0o600 });
  writeFileSync(join(place.configDir, "CLAUDE.md"), "USER-MEMORY");
  if (!named) renameSync(join(place.configDir, ".claude.json"), join(place.home, ".claude.json"));
  return place;
}

function stateFileOf({ home, configDir }: World): string {
  const named = join(configDir, ".claude.json");
  return existsSync(named) ? named : join(home, ".claude.json");
}

async function say({ options }: World, more: Options): Promise<void> {
  await using session = await openSession({ ...options, ...more });
  await session.send("first").text();
}

/** The temporary configurations that hawser has made. */
function configurationsIn(folder: string): string[] {
  const made = readdirSync(folder).map((name) => join(folder, name, "config"));
  return made.filter((each) => existsSync(join(each, "projects")));
}
