import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createSdkMcpServer, tool } from "../../src/mcp/index.js";
import type { Options } from "../../src/options/index.js";
import { openSession, type Session, type Turn } from "../../src/session/index.js";
import { always, hang, type ReplyScript, text, toolUse } from "../../src/testing/index.js";
import { isMessage, type Message } from "../../src/wire/index.js";
import { clisInTurn } from "../support/cli.js";
import { until } from "../support/proc.js";
import { recordingLogger } from "../support/recording-logger.js";
import { type World, world } from "../support/world.js";

interface Opened extends World {
  readonly session: Session;
  /** Kills the process of the session, and waits until the session has noticed. */
  readonly murder: () => Promise<void>;
  /** Waits until the transcript holds this word, because the CLI writes it with a delay. */
  readonly saved: (word: string) => Promise<void>;
}

async function open(cliPath: string, replies: ReplyScript, more: Options = {}): Promise<Opened> {
  const place = await world(cliPath, replies);
  const { logger, entries } = recordingLogger();
  const session = await openSession({ ...place.options, logger, ...more });
  onTestFinished(() => session.close());
  const murder = async () => {
    const { pid = Number.NaN } = session;
    process.kill(pid, "SIGKILL");
    await until(() =>
      entries.some(({ message, fields }) => message === "exit" && fields?.["pid"] === pid),
    );
  };
  const saved = async (word: string) => {
    const folder = join(place.configDir, "projects");
    await until(() => {
      const names = existsSync(folder) ? readdirSync(folder, { recursive: true }) : [];
      const file = names.map(String).find((name) => name.endsWith(`${session.id}.jsonl`));
      return file !== undefined && readFileSync(join(folder, file), "utf8").includes(word);
    });
  };
  return { ...place, session, murder, saved };
}

const OTHER_MODEL = "claude-haiku-4-5-20251001";

function server(name: string) {
  const greet = tool("greet", "Greets.", {}, async () => ({
    content: [{ type: "text", text: `greetings from ${name}` }],
  }));
  return createSdkMcpServer({ name, tools: [greet], alwaysLoad: true });
}

/** Everything that the session says, as it comes. */
function watch(session: Session): { readonly seen: Message[]; readonly end: Promise<unknown> } {
  const seen: Message[] = [];
  const end = (async () => {
    for await (const message of session) seen.push(message);
  })().catch((error: unknown) => error);
  return { seen, end };
}

/** Reads only the first piece: a reader that leaves the iteration would interrupt the turn. */
async function begun(turn: Turn): Promise<void> {
  await turn.textStream[Symbol.asyncIterator]().next();
}

function notices(messages: readonly Message[]): Message[] {
  return messages.filter((message) => isMessage(message, "hawser"));
}

describe.each(clisInTurn())("Session with recover on $name", ({ path }) => {
  it("restores conversation, model, mode and MCP servers after its process was killed between turns", async () => {
    const first = server("first");
    const { session, model, cwd, murder, saved } = await open(
      path,
      [
        text("one"),
        toolUse("Write", { file_path: "new.txt", content: "new" }),
        [toolUse("mcp__first__greet"), toolUse("mcp__second__greet")],
        text("two"),
      ],
      {
        recover: true,
        mcpServers: { first },
        allowedTools: ["mcp__first__greet", "mcp__second__greet"],
      },
    );
    const { seen } = watch(session);
    const { id, pid } = session;
    await session.send("remember the word plum").text();
    await session.setModel(OTHER_MODEL);
    await session.setPermissionMode("acceptEdits");
    await session.setMcpServers({ first, second: server("second") });
    await saved("plum");
    await murder();

    const turn = session.send("and now?");
    const messages: Message[] = [];
    for await (const message of turn) messages.push(message);
    expect(await turn.text()).toBe("two");
    expect(session.id).toBe(id);
    expect(session.pid).not.toBe(pid);

    const notice = {
      type: "hawser",
      subtype: "recovered",
      session_id: id,
      resumed: true,
      pid: session.pid,
      reason: expect.stringContaining("SIGKILL"),
    };
    expect(notices(seen)).toEqual([notice]);
    expect(notices(messages)).toEqual([notice]);

    const [, afterwards, , last] = model.calls;
    expect(JSON.stringify(afterwards?.body)).toContain("plum");
    expect(afterwards?.model).toBe(OTHER_MODEL);
    expect(existsSync(join(cwd, "new.txt"))).toBe(true);
    expect(last?.toolResults.map((result) => result.text)).toEqual([
      expect.stringContaining("greetings from first"),
      expect.stringContaining("greetings from second"),
    ]);
  });

  it("loses only the turn in which its process was killed", async () => {
    const { session, model, murder, saved } = await open(path, [hang("half"), always("next")], {
      recover: true,
    });
    const { id } = session;
    const turn = session.send("remember the word plum");
    await begun(turn);
    await saved("plum");
    await murder();
    await expect(turn.result).rejects.toMatchObject({
      code: "process_exited",
      resumable: true,
      sessionId: id,
      partialText: "half",
    });
    expect(await session.send("go on").text()).toBe("next");
    expect(session.id).toBe(id);
    expect(JSON.stringify(model.calls.at(-1)?.body)).toContain("plum");
  });

  it("sends a prompt again if the dead process had not answered it", async () => {
    const { session, saved } = await open(path, always("ok"), { recover: true });
    await session.send("remember the word plum").result;
    await saved("plum");
    process.kill(session.pid ?? Number.NaN, "SIGKILL");
    expect(await session.send("two").text()).toBe("ok");
  });

  it("replaces a process that does not react to an interrupt", async () => {
    const { session, saved } = await open(path, [hang("half"), always("next")], {
      recover: true,
      closeGraceMs: 300,
      // Longer than an older CLI takes to write its transcript.
      timeouts: { idleMs: 4_000 },
    });
    const { pid = Number.NaN } = session;
    const turn = session.send("remember the word plum");
    await saved("plum");
    await begun(turn);
    process.kill(pid, "SIGSTOP");
    await expect(turn.result).rejects.toMatchObject({ code: "timeout", phase: "idle" });
    expect(await session.send("go on").text()).toBe("next");
    expect(session.pid).not.toBe(pid);
  });

  it("starts a new process for a request as well", async () => {
    const { session, murder } = await open(path, always("ok"), { recover: true });
    await session.setPermissionMode("plan");
    await murder();
    expect(await session.mcpServerStatus()).toEqual([]);
    expect(await session.send("hi").text()).toBe("ok");
  });
});

describe.each(clisInTurn())("Session without recover on $name", ({ path }) => {
  it("interrupts a turn that passes firstMessageMs or idleMs, and continues", async () => {
    const { session } = await open(path, [text("warm"), hang(), hang("half"), text("next")], {
      timeouts: { firstMessageMs: 4_000, idleMs: 2_000 },
    });
    const { pid } = session;
    await session.send("warm up").text();
    await expect(session.send("silence").result).rejects.toMatchObject({
      code: "timeout",
      phase: "firstMessage",
      sessionId: session.id,
    });
    await expect(session.send("half an answer").result).rejects.toMatchObject({
      code: "timeout",
      phase: "idle",
      partialText: "half",
    });
    expect(await session.send("go on").text()).toBe("next");
    expect(session.pid).toBe(pid);
  });

  it("rejects everything with process_exited after its process was killed", async () => {
    const { session, murder } = await open(path, [hang("half")]);
    const { end } = watch(session);
    const turn = session.send("first");
    await begun(turn);
    const waiting = session.send("second");
    await murder();
    const death = { code: "process_exited", signal: "SIGKILL", sessionId: session.id };
    await expect(turn.result).rejects.toMatchObject({ ...death, partialText: "half" });
    await expect(waiting.result).rejects.toMatchObject(death);
    expect(await end).toMatchObject(death);
    await expect(session.send("third").result).rejects.toMatchObject(death);
    await expect(session.mcpServerStatus()).rejects.toMatchObject(death);
    await expect(session.idle()).rejects.toMatchObject(death);
    await session.close();
  });
});
