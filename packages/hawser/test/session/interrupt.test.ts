import { describe, expect, it } from "vitest";
import { createSdkMcpServer, tool } from "../../src/mcp/index.js";
import type { Options } from "../../src/options/index.js";
import type { Session } from "../../src/session/index.js";
import { hang, type ReplyScript, text, toolUse } from "../../src/testing/index.js";
import { isMessage, type ResultMessage } from "../../src/wire/index.js";
import { clisInTurn, NEWEST_CLI } from "../support/cli.js";
import { open } from "../support/open-session.js";
import { stillAlive, treeOf, until } from "../support/proc.js";

/** Says nothing more than a beginning until a prompt says "next". */
const STUCK: ReplyScript = ({ prompt }) => (prompt.includes("next") ? text("ok") : hang("half"));

function ending({ subtype, is_error }: ResultMessage): object {
  return { subtype, is_error };
}

const INTERRUPTED = { subtype: "error_during_execution", is_error: true };

/** A gate that handlers of tools wait at. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** A tool that has been called when the one gate opens, and ends when the other does. */
function waitingTool() {
  const [called, finish] = [gate(), gate()];
  const wait = tool("wait", "Waits.", {}, async () => {
    called.open();
    await finish.opened;
    return { content: [{ type: "text", text: "waited" }] };
  });
  const options: Options = {
    mcpServers: { gate: createSdkMcpServer({ name: "gate", tools: [wait], alwaysLoad: true }) },
    allowedTools: ["mcp__gate__wait"],
  };
  return { called, finish, options };
}

/** Waits until the CLI has the prompts in its queue; an older one never gets them that early. */
async function queued(session: Session, uuids: readonly string[]): Promise<void> {
  const missing = new Set(uuids);
  for await (const message of session) {
    if (isMessage(message, "command_lifecycle") && message.state === "queued") {
      missing.delete(message.command_uuid);
    }
    if (missing.size === 0) return;
  }
}

describe.each(clisInTurn())("an interrupt on $name", ({ path }) => {
  it("ends a command in the middle of its run", async () => {
    const { session } = await open(
      path,
      [toolUse("Bash", { command: "tail -f /dev/null" }), text("ok")],
      {
        allowedTools: ["Bash"],
      },
    );
    const turn = session.send("run it");
    const running = await until(() => {
      const found = treeOf(session.pid ?? 0).filter(
        ({ command }) => command === "tail -f /dev/null",
      );
      return found.length > 0 && found;
    });
    await session.interrupt();
    expect(ending(await turn.result)).toEqual(INTERRUPTED);
    await until(() => stillAlive(running).length === 0);
    expect(await session.send("next").text()).toBe("ok");
  });

  it("stops one turn by the turn itself", async () => {
    const { session, model } = await open(path, STUCK);
    const turn = session.send("first");
    await model.waitFor(({ kind }) => kind === "call");
    await turn.interrupt();
    expect(ending(await turn.result)).toEqual(INTERRUPTED);
    // Again is nothing.
    await turn.interrupt();
    expect(await session.send("next").text()).toBe("ok");
  });

  it("stops a turn that the CLI has not begun with", async () => {
    const { session } = await open(path, STUCK);
    const turn = session.send("first");
    await turn.interrupt();
    const end = await turn.result.then(ending, ({ code }: { code: string }) => code);
    // As it happens to be: taken back from the queue, or just begun.
    expect(["aborted", INTERRUPTED]).toContainEqual(end);
    expect(await session.send("next").text()).toBe("ok");
  });

  it("comes from leaving the iteration of a turn", async () => {
    const { session } = await open(path, STUCK);
    const { pid } = session;
    const turn = session.send("first");
    for await (const message of turn) if (message.type === "system") break;
    expect(ending(await turn.result)).toEqual(INTERRUPTED);
    expect(await session.send("next").text()).toBe("ok");
    expect(session.pid).toBe(pid);
  });

  it("comes from the signal of a turn, which then rejects with the signal's reason", async () => {
    const { session, model } = await open(path, STUCK);
    const controller = new AbortController();
    const turn = session.send("first", { signal: controller.signal });
    await model.waitFor(({ kind }) => kind === "call");
    // No more than the first piece: a reader who left would have the turn interrupted himself.
    await turn.textStream[Symbol.asyncIterator]().next();
    controller.abort("enough");
    await expect(turn.result).rejects.toMatchObject({ code: "aborted", reason: "enough" });
    expect(await session.send("next").text()).toBe("ok");
  });

  it("is not needed for a prompt whose signal is aborted already", async () => {
    const { session, model } = await open(path, STUCK);
    const late = session.send("never", { signal: AbortSignal.abort("too late") });
    await expect(late.result).rejects.toMatchObject({ code: "aborted", reason: "too late" });
    expect(await session.send("next").text()).toBe("ok");
    expect(model.calls.map(({ prompt }) => prompt)).toEqual(["next"]);
  });

  it("takes back a prompt that waits, and spares the one that runs", async () => {
    const { session, model } = await open(path, (request) =>
      request.prompt.includes("slow") ? slow.opened.then(() => text("slow")) : text("other"),
    );
    const slow = gate();
    const first = session.send("slow");
    await model.waitFor(({ kind }) => kind === "call");
    const second = session.send("second");
    if (path === NEWEST_CLI) await queued(session, [second.uuid]);
    await second.interrupt();
    await expect(second.result).rejects.toMatchObject({ code: "aborted" });
    slow.open();
    expect(await first.text()).toBe("slow");
    expect(model.calls).toHaveLength(1);
  });

  it("leaves what waits to run, and says so", async () => {
    const { session, model } = await open(path, STUCK);
    const first = session.send("first");
    await model.waitFor(({ kind }) => kind === "call");
    const waiting = [session.send("next 1"), session.send("next 2")];
    const uuids = waiting.map(({ uuid }) => uuid);
    if (path === NEWEST_CLI) await queued(session, uuids);
    expect(await session.interrupt()).toEqual({ still_queued: uuids });
    expect(ending(await first.result)).toEqual(INTERRUPTED);
    expect(await Promise.all(waiting.map((turn) => turn.text()))).toEqual(["ok", "ok"]);
  });

  it("cancels what waits on demand", async () => {
    const { session, model } = await open(path, STUCK);
    const first = session.send("first");
    await model.waitFor(({ kind }) => kind === "call");
    const waiting = [session.send("second"), session.send("third")];
    const uuids = waiting.map(({ uuid }) => uuid);
    if (path === NEWEST_CLI) await queued(session, uuids);
    const receipt = await session.interrupt({ cancelQueued: true });
    expect(receipt).toEqual({ still_queued: [], cancelled: uuids });
    expect(ending(await first.result)).toEqual(INTERRUPTED);
    for (const { result } of waiting) {
      await expect(result).rejects.toMatchObject({ code: "aborted" });
    }
    expect(await session.send("next").text()).toBe("ok");
    expect(model.calls).toHaveLength(2);
  });

  it("is answered when nothing runs", async () => {
    const { session } = await open(path, STUCK);
    expect(await session.interrupt()).toEqual({ still_queued: [] });
    expect(await session.send("next").text()).toBe("ok");
  });
});

describe.each(clisInTurn())("a prompt that is sent while a tool runs, on $name", ({ path }) => {
  it("joins the running turn, or follows it where the CLI would not say", async () => {
    const { called, finish, options } = waitingTool();
    const { session, model } = await open(
      path,
      [toolUse("mcp__gate__wait"), text("one"), text("two")],
      options,
    );
    const first = session.send("first");
    await called.opened;
    const second = session.send("second");
    if (path === NEWEST_CLI) await queued(session, [second.uuid]);
    finish.open();
    const results = await Promise.all([first.result, second.result]);
    const merged = [first.merged, second.merged];
    if (path === NEWEST_CLI) {
      expect(results.map(({ result }) => result)).toEqual(["one", "one"]);
      expect(merged).toEqual([[second.uuid], [first.uuid]]);
      expect(JSON.stringify(model.calls[1]?.body)).toContain("second");
      expect(model.calls).toHaveLength(2);
    } else {
      expect(results.map(({ result }) => result)).toEqual(["one", "two"]);
      expect(merged).toEqual([[], []]);
      expect(model.calls[2]?.prompt).toBe("second");
    }
  });

  it("is withdrawn alone, and the other turn goes on", async () => {
    const { called, finish, options } = waitingTool();
    const { session } = await open(path, [toolUse("mcp__gate__wait"), text("one")], options);
    const first = session.send("first");
    await called.opened;
    const controller = new AbortController();
    const second = session.send("second", { signal: controller.signal });
    if (path === NEWEST_CLI) await queued(session, [second.uuid]);
    controller.abort();
    await expect(second.result).rejects.toMatchObject({ code: "aborted" });
    finish.open();
    expect(await first.text()).toBe("one");
  });

  it("is stopped together with the turn that it has joined", async () => {
    const { called, finish, options } = waitingTool();
    const { session, model } = await open(
      path,
      ({ prompt }) => {
        if (prompt.includes("next")) return text("ok");
        return prompt === "first" ? toolUse("mcp__gate__wait") : hang("half");
      },
      options,
    );
    const first = session.send("first");
    await called.opened;
    const second = session.send("second");
    if (path === NEWEST_CLI) await queued(session, [second.uuid]);
    finish.open();
    await model.waitFor(({ kind, toolResults }) => kind === "call" && toolResults.length > 0);
    await session.interrupt();
    expect(ending(await first.result)).toEqual(INTERRUPTED);
    if (path === NEWEST_CLI) expect(ending(await second.result)).toEqual(INTERRUPTED);
    else await second.interrupt();
    expect(await session.send("next").text()).toBe("ok");
  });
});
