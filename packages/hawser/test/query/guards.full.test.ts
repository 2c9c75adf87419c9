import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { HookCallback, Options } from "../../src/index.js";
import {
  hang,
  type RecordedRequest,
  type ReplyInput,
  reply,
  text,
  toolUse,
} from "../../src/testing/index.js";
import { clisInTurn, NEWEST_CLI } from "../support/cli.js";
import { clisOf, collect, fakeQuery, Input, kinds, messagesOf, realQuery } from "./query.helper.js";

const FORBIDDEN = toolUse("Bash", { command: "touch forbidden", description: "x" });

/** Denies one command, which every other part of the CLI would allow. */
function guarded(more: Options = {}) {
  const asked: string[] = [];
  const guard: HookCallback = async (input) => {
    if (input.hook_event_name !== "PreToolUse") return {};
    const { command } = input.tool_input as { command?: string };
    asked.push(command ?? input.tool_name);
    if (!command?.startsWith("touch")) return {};
    const { hook_event_name: hookEventName } = input;
    return { hookSpecificOutput: { hookEventName, permissionDecision: "deny" } };
  };
  const allowedTools = ["Bash", "Agent", "Task"];
  const hooks = { PreToolUse: [{ hooks: [guard] }], ...more.hooks };
  return { asked, options: { ...more, allowedTools, hooks } };
}

function conversation({ body }: RecordedRequest): string {
  return JSON.stringify((body as { messages: unknown }).messages);
}

describe.each(clisInTurn())("query() with a guard hook, on $name", ({ path, name }) => {
  it("allows no guarded call when a message was lost in a turn", async () => {
    const { options } = guarded({ maxLineBytes: 100_000 });
    const wait = toolUse("Bash", { command: "sleep 1", description: "x" });
    const { q, cwd } = await realQuery(
      path,
      [reply([text("x".repeat(120_000)), wait]), FORBIDDEN, "done"],
      options,
    );
    const { messages, error } = await collect(q);
    // Only where the CLI says that it is idle can the turn go on, guarded.
    if (path === NEWEST_CLI)
      expect([kinds(messages).at(-1), error]).toEqual(["result/success", undefined]);
    else expect(error).toMatchObject({ code: "message_too_large", cliVersion: name });
    await q.return();
    expect([existsSync(join(cwd, "forbidden")), clisOf(path)]).toEqual([false, []]);
  });
});

describe.each(clisInTurn())("query() with a guard hook, on $name", ({ path }) => {
  /** The sub-agent's tool call comes while a CLI whose input has ended would still live. */
  const inBackground = (ofMain: (call: number) => ReplyInput) => {
    let calls = 0;
    return (request: RecordedRequest) => {
      if (!conversation(request).includes("MAIN")) {
        return request.toolResults.length > 0 ? "done" : reply(FORBIDDEN, { delayMs: 1000 });
      }
      calls += 1;
      if (calls > 1) return ofMain(calls);
      const more = { subagent_type: "general-purpose", run_in_background: true };
      return toolUse("Agent", { description: "d", prompt: "SUB", ...more });
    };
  };

  it.each<[string, ReplyInput, (type: string, text: string) => boolean]>([
    ["between turns", "started", (type) => type === "result"],
    ["in a turn", hang("half"), (type, text) => type === "stream_event" && text.includes("half")],
  ])(
    "allows no guarded call of a background agent when the reader leaves %s",
    async (_, second, isTime) => {
      const { options } = guarded({ includePartialMessages: true });
      const { q, cwd, model } = await realQuery(
        path,
        inBackground(() => second),
        options,
        "MAIN",
      );
      const begun = model.waitFor(({ prompt }) => prompt.includes("SUB"));
      for await (const message of q) {
        if (!isTime(message.type, JSON.stringify(message))) continue;
        await begun;
        break;
      }
      expect([existsSync(join(cwd, "forbidden")), clisOf(path)]).toEqual([false, []]);
    },
  );

  it("runs no waiting prompt when the reader leaves", async () => {
    const { options } = guarded({ includePartialMessages: true });
    const { q, cwd } = await realQuery(
      path,
      ({ prompt }) => (prompt.includes("two") ? FORBIDDEN : hang("half")),
      options,
      messagesOf("one", "two"),
    );
    for await (const { type } of q) if (type === "stream_event") break;
    expect([existsSync(join(cwd, "forbidden")), clisOf(path)]).toEqual([false, []]);
  });

  it("interrupts the turn and ends the process when the reader leaves in a turn", async () => {
    const { options } = guarded({ includePartialMessages: true, closeGraceMs: 30_000 });
    const { q } = await realQuery(path, [hang("half")], options);
    for await (const { type } of q) if (type === "stream_event") break;
    expect(clisOf(path)).toEqual([]);
  });

  it("waits for a slow UserPromptSubmit hook of the next turn", async () => {
    const slow: HookCallback = async (input) => {
      const waits = input.hook_event_name === "UserPromptSubmit" && input.prompt === "two";
      // Longer than any turn is waited for.
      if (waits) await sleep(6_000);
      return {};
    };
    const { options, asked } = guarded({ hooks: { UserPromptSubmit: [{ hooks: [slow] }] } });
    const { q, cwd } = await realQuery(
      path,
      (request) => {
        const second = conversation(request).includes("two");
        return second && request.toolResults.length === 0 ? FORBIDDEN : "ok";
      },
      options,
      messagesOf("one", "two"),
    );
    const { messages, error } = await collect(q);
    expect(kinds(messages).filter((kind) => kind === "result/success")).toHaveLength(2);
    expect([asked, error]).toEqual([["touch forbidden"], undefined]);
    expect(existsSync(join(cwd, "forbidden"))).toBe(false);
  });
});

describe("query() with canUseTool", () => {
  const canUseTool: Options["canUseTool"] = async () => ({ behavior: "deny", message: "no" });

  it("ends the process within closeGraceMs when its turn does not stop", async () => {
    const { q, cli } = await fakeQuery(
      [
        { on: "user", do: [{ init: {} }, { hang: true }] },
        { on: "control", subtype: "interrupt", do: [] },
        { on: "eof", times: "always", do: [{ emit: { type: "unguarded" } }] },
      ],
      { canUseTool },
    );
    expect(await q.next()).toMatchObject({ value: { subtype: "init" } });
    await q.return();
    expect(clisOf(cli.path)).toEqual([]);
    expect((await cli.recorded()).some(({ eof }) => eof)).toBe(false);
  });

  it("continues when a message was lost before the first prompt", async () => {
    const input = new Input();
    const { q } = await fakeQuery(
      [{ on: "initialize", do: [{ longLine: 30_000 }, { default: true }] }],
      { canUseTool, maxLineBytes: 20_000 },
      input,
    );
    await q.initializationResult();
    input.push("one");
    input.end();
    const { messages, error } = await collect(q);
    expect([kinds(messages).at(-1), error]).toEqual(["result/success", undefined]);
  });
});
