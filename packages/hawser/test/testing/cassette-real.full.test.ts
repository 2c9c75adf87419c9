import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { complete } from "../../src/complete/index.js";
import type { Options } from "../../src/options/index.js";
import { shutdown } from "../../src/process/index.js";
import { query } from "../../src/query/index.js";
import { openSession } from "../../src/session/index.js";
import {
  isolatedEnv,
  type ReplayOptions,
  type ReplyScript,
  record,
  replay,
  SimulatedModel,
  toolUse,
} from "../../src/testing/index.js";
import { clisInTurn, FULL, NEWEST_CLI } from "../support/cli.js";
import { everyProcess, type Seen, stillAlive, treeOf, until } from "../support/proc.js";
import { world } from "../support/world.js";
import { ownPath } from "./cassette-file.helper.js";

/** A program that uses the library: it gets the options of its world, and returns what it saw. */
type Host<T> = (options: Options) => Promise<T>;

/** Runs a host on the real CLI, and returns what it saw and the cassette. */
async function recorded<T>(cliPath: string, replies: ReplyScript, host: Host<T>) {
  const place = await world(cliPath, replies);
  const file = await ownPath();
  await using recorder = await record({ file, cliPath });
  const seen = await host({ ...place.options, cliPath: recorder.path });
  return { file, seen };
}

/** One recording for all tests of a block. */
function recordedOnce(cliPath: string, replies: ReplyScript, host: Host<unknown>) {
  let seen: unknown;
  let file = "";
  beforeAll(async () => {
    const model = await SimulatedModel.start({ replies });
    const place = await isolatedEnv({ baseUrl: model.url });
    file = join(place.home, "cassette.jsonl");
    await using recorder = await record({ file, cliPath });
    const { cwd, env } = place;
    seen = await host({ cliPath: recorder.path, cwd, env, inheritEnv: false });
    return async () => {
      await shutdown();
      await place.dispose();
      await model.close();
    };
  });
  return () => ({ file, seen });
}

/** Runs a host on a cassette, in another world, in which no model answers. */
async function replayed<T>(file: string, options: ReplayOptions, host: Host<T>) {
  await using place = await isolatedEnv();
  await using cli = await replay(file, options);
  const { cwd, env } = place;
  const outcome = await host({ cliPath: cli.path, cwd, env, inheritEnv: false }).then(
    (seen) => ({ seen }),
    (error: unknown) => ({ error }),
  );
  await shutdown();
  return { ...outcome, mismatches: await cli.mismatches() };
}

const ask =
  (prompt: string): Host<unknown> =>
  async (options) => {
    const { text, usage, turns, stop, costUsd } = await complete(prompt, options);
    return { text, usage, turns, stop, costUsd };
  };

describe.each(clisInTurn())("replay() of a complete() recorded on $name", ({ path }) => {
  const recording = recordedOnce(path, ["Hello."], ask("Greet me."));

  it("returns the recorded result in strict and loose mode", async () => {
    const { file, seen } = recording();
    expect(seen).toMatchObject({ text: "Hello.", turns: 1 });
    for (const mode of ["strict", "loose"] as const) {
      expect(await replayed(file, { mode }, ask("Greet me."))).toEqual({ seen, mismatches: [] });
    }
  });

  it("reports another prompt as a mismatch, unless the mode is loose", async () => {
    const { file, seen } = recording();
    const strict = await replayed(file, {}, ask("Greet him."));
    const text = 'message.content[0].text was "Greet me." and is now "Greet him."';
    expect(strict.mismatches).toMatchObject([
      { take: 1, path: "message.content[0].text", message: text },
    ]);
    expect(strict).toMatchObject({ error: { code: "process_exited", exitCode: 70 } });
    expect(String((strict as { error: { stderrTail: string } }).error.stderrTail)).toContain(text);
    const loose = await replayed(file, { mode: "loose" }, ask("Greet him."));
    expect(loose).toEqual({ seen, mismatches: [] });
  });

  it("reports other options as a mismatch of the arguments", async () => {
    const { file } = recording();
    const host: Host<unknown> = (options) => ask("Greet me.")({ ...options, model: "sonnet" });
    const { mismatches } = await replayed(file, { mode: "strict" }, host);
    const message = "--model=sonnet is new";
    expect(mismatches).toEqual([{ take: 1, line: 2, path: "--model", message }]);
  });
});

/** Two turns with a tool that is allowed, a tool that is refused, and hooks. */
const session =
  (last = "and now?"): Host<unknown> =>
  async (options) => {
    const called: unknown[] = [];
    const seen: unknown[] = [];
    await using session = await openSession({
      ...options,
      canUseTool: async (name, input) => {
        called.push([name, input]);
        if (String(input["command"]).includes("second")) return { behavior: "deny", message: "no" };
        return { behavior: "allow", updatedInput: input };
      },
      hooks: {
        PreToolUse: [{ matcher: "Bash", hooks: [({ tool_name }) => void called.push(tool_name)] }],
        PostToolUse: [{ hooks: [({ cwd }) => void called.push(cwd === options.cwd)] }],
      },
    });
    for (const prompt of ["go", last]) {
      const turn = session.send(prompt);
      for await (const message of turn) seen.push(message.type);
      seen.push((await turn.result).subtype, await turn.text());
    }
    await session.setPermissionMode("plan");
    return { called, seen };
  };

const touch = (file: string) => toolUse("Bash", { command: `touch ${file}`, description: "d" });

describe.each(clisInTurn())("replay() of a session recorded on $name", ({ path }) => {
  const script = [touch("first"), "made", touch("second"), "not made"];
  const recording = recordedOnce(path, script, session());

  it("repeats the turns, permission requests and hooks", async () => {
    const { file, seen } = recording();
    expect(seen).toMatchObject({
      called: ["Bash", ["Bash", { command: "touch first" }], true, "Bash", ["Bash", {}]],
      seen: expect.arrayContaining(["made", "not made"]),
    });
    for (const mode of ["strict", "loose"] as const) {
      expect(await replayed(file, { mode }, session())).toEqual({ seen, mismatches: [] });
    }
  });

  it("reports a changed second prompt as a mismatch, unless the mode is loose", async () => {
    const { file, seen } = recording();
    const { mismatches } = await replayed(file, {}, session("something else"));
    expect(mismatches).toMatchObject([{ take: 1, path: "message.content[0].text" }]);
    const loose = await replayed(file, { mode: "loose" }, session("something else"));
    expect(loose).toEqual({ seen, mismatches: [] });
  });
});

describe("replay() in loose mode", () => {
  const byQuery: Host<unknown> = async ({ cliPath, cwd, env }) => {
    const said: unknown[] = [];
    const options = { pathToClaudeCodeExecutable: cliPath, cwd, env };
    for await (const message of query({ prompt: "hi", options: options as never })) {
      if (message.type === "result" && "result" in message) said.push(message.result);
    }
    return said.join();
  };
  const byComplete: Host<unknown> = async (options) => (await complete("hi", options)).text;
  const bySession: Host<unknown> = async (options) => {
    await using session = await openSession(options);
    return await session.send("hi").text();
  };
  const hosts = { "query()": byQuery, "complete()": byComplete, "openSession()": bySession };
  const recorders = FULL ? Object.entries(hosts) : Object.entries(hosts).slice(0, 1);

  it.each(recorders)(
    "serves query(), complete() and openSession() from a cassette of %s",
    async (_, from) => {
      const { file } = await recorded(NEWEST_CLI, ["Hello."], from);
      for (const to of Object.values(hosts)) {
        const outcome = await replayed(file, { mode: "loose" }, to);
        expect(outcome).toEqual({ seen: "Hello.", mismatches: [] });
      }
    },
  );
});

it("replay() reports the sessionId that the caller has chosen, not the recorded id", async () => {
  const chosen = "11111111-2222-4333-8444-555555555555";
  const other = "99999999-2222-4333-8444-555555555555";
  const host =
    (sessionId: string): Host<unknown> =>
    async (options) => {
      const answer = await complete("hi", { ...options, sessionId });
      return answer.sessionId;
    };
  const { file } = await recorded(NEWEST_CLI, ["Hello."], host(chosen));
  expect(await replayed(file, {}, host(other))).toEqual({ seen: other, mismatches: [] });
});

it.runIf(existsSync("/proc"))("record(): no CLI outlives a killed recorder", async () => {
  const wait = toolUse("Bash", { command: "tail -f /dev/null", description: "wait" });
  const place = await world(NEWEST_CLI, [wait]);
  await using recorder = await record({ file: await ownPath(), cliPath: NEWEST_CLI });
  const session = await openSession({
    ...place.options,
    cliPath: recorder.path,
    allowedTools: ["Bash"],
  });
  const turn = session.send("go");
  const failed = turn.result.catch((error: unknown) => error);
  const pid = session.pid ?? Number.NaN;
  const tool = (each: Seen) => each.command.includes("tail -f /dev/null");
  const tree = await until(() => {
    const seen = treeOf(pid);
    return seen.some(tool) ? seen : undefined;
  });
  expect(tree.some(({ command }) => command.startsWith(NEWEST_CLI))).toBe(true);
  process.kill(pid, "SIGKILL");
  await until(() => stillAlive(tree).length === 0);
  expect(await failed).toMatchObject({ code: "process_exited", signal: "SIGKILL" });
  await session.close();
  expect(everyProcess().filter(({ command }) => command.includes(join(place.cwd)))).toEqual([]);
});
