import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Options } from "../../src/options/index.js";
import { openSession, type Session } from "../../src/session/index.js";
import {
  hang,
  isolatedEnv,
  type RecordedRequest,
  type ReplyScript,
  toolUse,
} from "../../src/testing/index.js";
import { InMemorySessionStore } from "../../src/transcripts/index.js";
import { CLIS, OLDER_CLI } from "../support/cli.js";
import { until } from "../support/proc.js";
import { type World, world } from "../support/world.js";
import { allowAll, bash, bashHook } from "./deferred.helper.js";

const PROJECT = "contract";

interface Trial extends World {
  readonly store: InMemorySessionStore;
  readonly sessionId: string;
  /** The session on the first host. */
  first(more?: Options): Promise<Session>;
  /** The session on a host with another home and another working directory. */
  next(more?: Options): Promise<Session>;
  /** Waits until the store has an entry with this text. */
  stored(text: string): Promise<void>;
  /** How often a tool of the trial has run: each run adds a line. */
  runs(): number;
  readonly log: string;
}

async function trial(path: string, replies: (log: string) => ReplyScript): Promise<Trial> {
  const outside = await isolatedEnv({ baseUrl: "http://127.0.0.1:9" });
  onTestFinished(() => outside.dispose());
  const log = join(outside.cwd, "log");
  const place = await world(path, replies(log));
  const store = new InMemorySessionStore();
  const sessionId = randomUUID();
  const kept: Options = { sessionStore: store, sessionStoreFlush: "eager", projectKey: PROJECT };
  const opened = async (options: Options) => {
    const session = await openSession({ ...place.options, ...kept, ...options });
    onTestFinished(() => session.close());
    return session;
  };
  return {
    ...place,
    store,
    sessionId,
    log,
    first: (more) => opened({ sessionId, ...more }),
    next: async (more) => {
      const other = await isolatedEnv({ baseUrl: place.model.url });
      onTestFinished(() => other.dispose());
      return opened({ resume: sessionId, cwd: other.cwd, env: other.env, ...more });
    },
    stored: (text) =>
      until(() =>
        JSON.stringify(store.getEntries({ projectKey: PROJECT, sessionId })).includes(text),
      ).then(() => {}),
    runs: () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n").length : 0),
  };
}

/** The conversation of a request, one line for each block, without the CLI's own reminders. */
function conversation(request: RecordedRequest | undefined): string[] {
  const { messages = [] } = (request?.body ?? {}) as { messages?: Message[] };
  return messages.flatMap(({ role, content }) => {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    return blocks.map((block) => lineOf(role, block)).filter((line) => !line.includes("<system-"));
  });
}

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly input?: { readonly command?: string };
  readonly content?: unknown;
}

interface Message {
  readonly role: string;
  readonly content: string | readonly Block[];
}

function lineOf(role: string, { type, text, input, content }: Block): string {
  if (type === "tool_use") return `call ${input?.command ?? JSON.stringify(input)}`;
  if (type === "tool_result") return `result ${JSON.stringify(content)}`;
  return `${role} ${text ?? type}`;
}

const ADD = (log: string) => `echo run >> ${log}`;

describe.each(CLIS)("a turn that was cut off, on the next host with $name", ({ path }) => {
  const isOlder = path === OLDER_CLI;

  it("a1, k: SIGKILL in mid-tool, resumed with a prompt: the newest CLI says that the outcome is unknown, the older forgets the call", async () => {
    const place = await trial(path, (log) => [bash(`${ADD(log)}; sleep 600`), "Done."]);
    const first = await place.first({ allowedTools: ["Bash"] });
    const turn = first.send("Build it.");
    turn.result.catch(() => {});
    await until(() => place.runs() === 1);
    await place.stored("sleep 600");
    await first.kill();
    const next = await place.next();
    await next.send("Go on.").result;
    const said = conversation(place.model.calls.at(-1));
    const call = said.filter((line) => line.startsWith("call"));
    const result = said.filter((line) => line.startsWith("result"));
    expect(said.some((line) => line.includes("Build it."))).toBe(true);
    // Since 2.1.326 the CLI adds that the folder is another one.
    expect(said.findLast((line) => !line.startsWith("system"))).toContain("Go on.");
    if (isOlder) expect([call, result]).toEqual([[], []]);
    else {
      expect(call.length).toBe(1);
      expect(result.join()).toMatch(/interrupted.*outcome is unknown/s);
    }
    expect(place.runs()).toBe(1);
  });

  it("b: SIGKILL after the tool, before the next answer: call and result are there, and it does not run again", async () => {
    const place = await trial(path, (log) => [bash(`${ADD(log)}; echo built-it`), hang(), "Done."]);
    const first = await place.first({ allowedTools: ["Bash"] });
    first.send("Build it.").result.catch(() => {});
    await until(() => place.model.calls.length === 2);
    await place.stored("built-it");
    await place.stored("tool_result");
    await first.kill();
    const next = await place.next();
    await next.send("Go on.").result;
    const said = conversation(place.model.calls.at(-1)).join("\n");
    expect(said).toMatch(/call echo run.*result .*built-it.*Go on\./s);
    expect(place.runs()).toBe(1);
  });

  it("c: SIGKILL while the model streams: what it said is gone, the prompts are there", async () => {
    const place = await trial(path, () => [hang("Once upon a time"), "Done."]);
    const first = await place.first();
    const turn = first.send("Tell a story.");
    turn.result.catch(() => {});
    await turn.textStream[Symbol.asyncIterator]().next();
    await place.stored("Tell a story.");
    await first.kill();
    const next = await place.next();
    await next.send("Go on.").result;
    const said = conversation(place.model.calls.at(-1)).join("\n");
    expect(said).toMatch(/Tell a story\..*Go on\./s);
    expect(said).not.toContain("Once upon a time");
  });

  it("d: SIGKILL before the first entry: the store has no session", async () => {
    const place = await trial(path, () => []);
    const first = await place.first();
    await first.kill();
    await expect(place.next()).rejects.toMatchObject({ code: "session_not_found" });
  });

  it("e1, e5: a deferred call runs once on the next host, which is asked by canUseTool", async () => {
    const place = await trial(path, (log) => [bash(ADD(log)), "Done."]);
    const first = await place.first({ hooks: bashHook(() => "defer") });
    expect((await first.send("Push it.").result).stop_reason).toBe("tool_deferred");
    await first.close();
    expect(place.runs()).toBe(0);
    const { canUseTool, asked } = allowAll();
    const next = await place.next({ canUseTool });
    expect(await next.resumedTurn().text()).toBe("Done.");
    expect([asked, place.runs()]).toEqual([["Bash"], 1]);
    const said = conversation(place.model.calls.at(-1)).join("\n");
    expect(said).toMatch(/call echo run.*result.*Continue from where you left off\./s);
  });

  it("e6: a deferred question of the model is answered on the next host", async () => {
    const question = {
      question: "Which branch?",
      header: "Branch",
      multiSelect: false,
      options: [
        { label: "main", description: "the main branch" },
        { label: "next", description: "the next release" },
      ],
    };
    const place = await trial(path, () => [
      toolUse("AskUserQuestion", { questions: [question] }),
      "Thanks.",
    ]);
    const defer = async () =>
      ({
        hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "defer" },
      }) as const;
    const first = await place.first({
      hooks: { PreToolUse: [{ matcher: "AskUserQuestion", hooks: [defer] }] },
      canUseTool: async () => ({ behavior: "deny", message: "not yet" }),
    });
    const { deferred_tool_use } = await first.send("Ask me.").result;
    expect(deferred_tool_use?.name).toBe("AskUserQuestion");
    await first.close();
    const next = await place.next({
      canUseTool: async (_, input) => ({
        behavior: "allow",
        updatedInput: { ...input, answers: { "Which branch?": "next" } },
      }),
    });
    expect(await next.resumedTurn().text()).toBe("Thanks.");
    expect(conversation(place.model.calls.at(-1)).join("\n")).toMatch(/result .*next/);
  });

  it.each(["allow", "deny"] as const)(
    "f3, f4: one of two calls is deferred, the other gets %s: both have a result, except that the older CLI loses that of a deferred call that was not the last",
    async (other) => {
      for (const last of [true, false]) {
        const place = await trial(path, (log) => [
          last
            ? [bash("echo other"), bash(`${ADD(log)}; echo waited`)]
            : [bash(`${ADD(log)}; echo waited`), bash("echo other")],
          "Done.",
        ]);
        const decide = (command: string) => (command === "echo other" ? other : "defer");
        const first = await place.first({ hooks: bashHook(decide) });
        expect((await first.send("Go.").result).stop_reason).toBe("tool_deferred");
        await first.close();
        const next = await place.next({ canUseTool: allowAll().canUseTool });
        expect(await next.resumedTurn().text()).toBe("Done.");
        expect(place.runs()).toBe(1);
        const results = conversation(place.model.calls.at(-1)).filter((line) =>
          line.startsWith("result"),
        );
        expect(results.length).toBe(2);
        const isLost = isOlder && !last;
        expect(results.join("\n").includes("waited")).toBe(!isLost);
        expect(results.join("\n").includes("Tool result missing")).toBe(isLost);
      }
    },
  );

  it("h: a prompt while a deferred call is pending: the call first, then the prompt, two results", async () => {
    const place = await trial(path, (log) => [bash(ADD(log)), "Pushed.", "Second."]);
    const first = await place.first({ hooks: bashHook(() => "defer") });
    await first.send("Push it.").result;
    await first.close();
    const next = await place.next({ canUseTool: allowAll().canUseTool });
    const turns = [next.resumedTurn(), next.send("And now?")];
    expect(await Promise.all(turns.map((turn) => turn.text()))).toEqual(["Pushed.", "Second."]);
    expect(place.runs()).toBe(1);
  });
});
