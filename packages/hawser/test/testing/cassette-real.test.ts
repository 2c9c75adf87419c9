import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
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
  toolUse,
} from "../../src/testing/index.js";
import { clisInTurn, NEWEST_CLI } from "../support/cli.js";
import { everyProcess, type Seen, stillAlive, treeOf, until } from "../support/proc.js";
import { world } from "../support/world.js";
import { ownPath } from "./cassette-file.helper.js";

/** A program of a user's: what it is given to stay in its world, and what it makes of that. */
type Host<T> = (options: Options) => Promise<T>;

/** Runs a host on the real CLI and gives what it saw, and the cassette. */
async function recorded<T>(cliPath: string, replies: ReplyScript, host: Host<T>) {
  const place = await world(cliPath, replies);
  const file = await ownPath();
  await using recorder = await record({ file, cliPath });
  const seen = await host({ ...place.options, cliPath: recorder.path });
  return { file, seen };
}

/** Runs a host on a cassette, in another world, where nothing answers at the model's address. */
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

describe.each(clisInTurn())("complete() recorded on $name", ({ path }) => {
  it("is the same from the cassette, whatever the mode", async () => {
    const { file, seen } = await recorded(path, ["Hello."], ask("Greet me."));
    expect(seen).toMatchObject({ text: "Hello.", turns: 1 });
    for (const mode of ["strict", "loose"] as const) {
      expect(await replayed(file, { mode }, ask("Greet me."))).toEqual({ seen, mismatches: [] });
    }
  });

  it("with another prompt is a mismatch, unless the replay is loose", async () => {
    const { file, seen } = await recorded(path, ["Hello."], ask("Greet me."));
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

  it("with other options is a mismatch of the arguments", async () => {
    const { file } = await recorded(path, ["Hello."], ask("Greet me."));
    const host: Host<unknown> = (options) => ask("Greet me.")({ ...options, model: "sonnet" });
    const { mismatches } = await replayed(file, { mode: "strict" }, host);
    const message = "--model=sonnet is new";
    expect(mismatches).toEqual([{ take: 1, line: 2, path: "--model", message }]);
  });
});

/** Two turns with a tool that is asked about, one that is refused, and hooks. */
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

describe.each(clisInTurn())("a session recorded on $name", ({ path }) => {
  const script = () => [touch("first"), "made", touch("second"), "not made"];

  it("is the same from the cassette: turns, permissions, hooks", async () => {
    const { file, seen } = await recorded(path, script(), session());
    expect(seen).toMatchObject({
      called: ["Bash", ["Bash", { command: "touch first" }], true, "Bash", ["Bash", {}]],
      seen: expect.arrayContaining(["made", "not made"]),
    });
    for (const mode of ["strict", "loose"] as const) {
      expect(await replayed(file, { mode }, session())).toEqual({ seen, mismatches: [] });
    }
  });

  it("whose second prompt has changed is a mismatch, unless the replay is loose", async () => {
    const { file, seen } = await recorded(path, script(), session());
    const { mismatches } = await replayed(file, {}, session("something else"));
    expect(mismatches).toMatchObject([{ take: 1, path: "message.content[0].text" }]);
    const loose = await replayed(file, { mode: "loose" }, session("something else"));
    expect(loose).toEqual({ seen, mismatches: [] });
  });
});

describe("a cassette of one way to call is loose enough for the others", () => {
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
  const hosts = { byQuery, byComplete, bySession };

  it.each(Object.entries(hosts))("%s", async (_, from) => {
    const { file } = await recorded(NEWEST_CLI, ["Hello."], from);
    for (const to of Object.values(hosts)) {
      const outcome = await replayed(file, { mode: "loose" }, to);
      expect(outcome).toEqual({ seen: "Hello.", mismatches: [] });
    }
  });
});

it("an id of the session that the host has chosen is the one that it gets", async () => {
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

it.runIf(existsSync("/proc"))("no CLI outlives a recorder that is killed", async () => {
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
  const pid = session.pid ?? 0;
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
