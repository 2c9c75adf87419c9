import { beforeEach, describe, expect, it } from "vitest";
import { createSdkMcpServer, tool } from "../../src/mcp/index.js";
import type { Turn } from "../../src/session/index.js";
import { always, hang, text, toolUse } from "../../src/testing/index.js";
import { isMessage, type ResultMessage } from "../../src/wire/index.js";
import { clisInTurn, NEWEST_CLI } from "../support/cli.js";
import { stillAlive, treeOf, until } from "../support/proc.js";
import { type SharedSession, sharedSession } from "./shared-session.helper.js";

/** Hangs after the first words of an answer, unless the prompt says "next". */
const STUCK = always(({ prompt }) => (prompt.includes("next") ? text("ok") : hang("half")));

function ending({ subtype, is_error }: ResultMessage): object {
  return { subtype, is_error };
}

const INTERRUPTED = { subtype: "error_during_execution", is_error: true };

/** A promise that the test resolves. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Waits until the CLI has the prompts in its queue. The older CLI never gets them that early. */
async function queued(shared: SharedSession, ...turns: readonly Turn[]): Promise<void> {
  const seen = shared.watch();
  const states = () =>
    seen.flatMap((message) =>
      isMessage(message, "command_lifecycle") && message.state === "queued"
        ? message.command_uuid
        : [],
    );
  await until(() => turns.every(({ uuid }) => states().includes(uuid)));
}

describe.each(clisInTurn())("Session.interrupt() on $name", ({ path }) => {
  const shared = sharedSession(path, { allowedTools: ["Bash"] });

  it("ends a running command and keeps the session usable", async () => {
    const { session } = shared;
    shared.script(toolUse("Bash", { command: "tail -f /dev/null" }), text("ok"));
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

  it("leaves waiting prompts in the queue and lists them in still_queued", async () => {
    const { session } = shared;
    shared.script(STUCK);
    shared.watch();
    const first = session.send("first");
    await shared.called();
    const waiting = [session.send("next 1"), session.send("next 2")];
    if (path === NEWEST_CLI) await queued(shared, ...waiting);
    expect(await session.interrupt()).toEqual({ still_queued: waiting.map(({ uuid }) => uuid) });
    expect(ending(await first.result)).toEqual(INTERRUPTED);
    expect(await Promise.all(waiting.map((turn) => turn.text()))).toEqual(["ok", "ok"]);
  });

  it("cancels waiting prompts with cancelQueued", async () => {
    const { session } = shared;
    shared.script(STUCK);
    shared.watch();
    const first = session.send("first");
    await shared.called();
    const waiting = [session.send("second"), session.send("third")];
    if (path === NEWEST_CLI) await queued(shared, ...waiting);
    const receipt = await session.interrupt({ cancelQueued: true });
    expect(receipt).toEqual({ still_queued: [], cancelled: waiting.map(({ uuid }) => uuid) });
    expect(ending(await first.result)).toEqual(INTERRUPTED);
    for (const { result } of waiting) {
      await expect(result).rejects.toMatchObject({ code: "aborted" });
    }
    expect(await session.send("next").text()).toBe("ok");
    expect(shared.calls).toHaveLength(2);
  });

  it("resolves when no turn runs", async () => {
    shared.script(STUCK);
    expect(await shared.session.interrupt()).toEqual({ still_queued: [] });
    expect(await shared.session.send("next").text()).toBe("ok");
  });
});

describe.each(clisInTurn())("Turn.interrupt() on $name", ({ path }) => {
  const shared = sharedSession(path);

  it("stops the turn and does nothing when it is called again", async () => {
    const { session } = shared;
    shared.script(STUCK);
    const turn = session.send("first");
    await shared.called();
    await turn.interrupt();
    expect(ending(await turn.result)).toEqual(INTERRUPTED);
    await turn.interrupt();
    expect(await session.send("next").text()).toBe("ok");
  });

  it("stops a turn that the CLI has not begun", async () => {
    const { session } = shared;
    shared.script(STUCK);
    const turn = session.send("first");
    await turn.interrupt();
    const end = await turn.result.then(ending, ({ code }: { code: string }) => code);
    // Depending on the moment, the CLI takes the prompt out of its queue, or has just begun the turn.
    expect(["aborted", INTERRUPTED]).toContainEqual(end);
    expect(await session.send("next").text()).toBe("ok");
  });

  it("takes back a waiting prompt and does not stop the running turn", async () => {
    const { session } = shared;
    const slow = gate();
    shared.script(() => slow.opened.then(() => text("slow")));
    shared.watch();
    const first = session.send("slow");
    await shared.called();
    const second = session.send("second");
    if (path === NEWEST_CLI) await queued(shared, second);
    await second.interrupt();
    await expect(second.result).rejects.toMatchObject({ code: "aborted" });
    slow.open();
    expect(await first.text()).toBe("slow");
    expect(shared.calls).toHaveLength(1);
  });

  it("is called when a reader leaves the iteration of the turn", async () => {
    const { session } = shared;
    shared.script(STUCK);
    const { pid } = session;
    const turn = session.send("first");
    for await (const message of turn) if (message.type === "system") break;
    expect(ending(await turn.result)).toEqual(INTERRUPTED);
    expect(await session.send("next").text()).toBe("ok");
    expect(session.pid).toBe(pid);
  });

  it("is called when the signal of send() aborts, and the turn rejects with its reason", async () => {
    const { session } = shared;
    shared.script(STUCK);
    const controller = new AbortController();
    const turn = session.send("first", { signal: controller.signal });
    await shared.called();
    // Only the first piece: a reader that leaves the iteration would interrupt the turn as well.
    await turn.textStream[Symbol.asyncIterator]().next();
    controller.abort("enough");
    await expect(turn.result).rejects.toMatchObject({ code: "aborted", reason: "enough" });
    expect(await session.send("next").text()).toBe("ok");
  });

  it("is not needed for a prompt with an aborted signal, because the prompt is not sent", async () => {
    const { session } = shared;
    shared.script(STUCK);
    const late = session.send("never", { signal: AbortSignal.abort("too late") });
    await expect(late.result).rejects.toMatchObject({ code: "aborted", reason: "too late" });
    expect(await session.send("next").text()).toBe("ok");
    expect(shared.calls).toHaveLength(1);
    expect(shared.calls[0]?.prompt).not.toContain("never");
  });
});

describe.each(clisInTurn())("Session.send() while a tool runs, on $name", ({ path }) => {
  let [called, finish] = [gate(), gate()];
  /** Opens the first gate when the model calls the tool, and returns when the test opens the other. */
  const wait = tool("wait", "Waits.", {}, async () => {
    called.open();
    await finish.opened;
    return { content: [{ type: "text", text: "waited" }] };
  });
  const shared = sharedSession(path, {
    mcpServers: { gate: createSdkMcpServer({ name: "gate", tools: [wait], alwaysLoad: true }) },
    allowedTools: ["mcp__gate__wait"],
  });
  beforeEach(() => {
    [called, finish] = [gate(), gate()];
    shared.watch();
  });

  it("joins the running turn on the newest CLI and follows it on the older one", async () => {
    const { session } = shared;
    shared.script(toolUse("mcp__gate__wait"), text("one"), text("two"));
    const first = session.send("first");
    await called.opened;
    const second = session.send("second");
    if (path === NEWEST_CLI) await queued(shared, second);
    finish.open();
    const results = await Promise.all([first.result, second.result]);
    const merged = [first.merged, second.merged];
    if (path === NEWEST_CLI) {
      expect(results.map(({ result }) => result)).toEqual(["one", "one"]);
      expect(merged).toEqual([[second.uuid], [first.uuid]]);
      expect(JSON.stringify(shared.calls[1]?.body)).toContain("second");
      expect(shared.calls).toHaveLength(2);
    } else {
      expect(results.map(({ result }) => result)).toEqual(["one", "two"]);
      expect(merged).toEqual([[], []]);
      expect(shared.calls[2]?.prompt).toBe("second");
    }
  });

  it("withdraws only the new prompt when its signal aborts", async () => {
    const { session } = shared;
    shared.script(toolUse("mcp__gate__wait"), text("one"));
    const first = session.send("first");
    await called.opened;
    const controller = new AbortController();
    const second = session.send("second", { signal: controller.signal });
    if (path === NEWEST_CLI) await queued(shared, second);
    controller.abort();
    await expect(second.result).rejects.toMatchObject({ code: "aborted" });
    finish.open();
    expect(await first.text()).toBe("one");
  });

  it("ends with the running turn when interrupt() stops a turn that it has joined", async () => {
    const { session } = shared;
    shared.script(
      toolUse("mcp__gate__wait"),
      always(({ prompt }) => (prompt.includes("next") ? text("ok") : hang("half"))),
    );
    const first = session.send("first");
    await called.opened;
    const second = session.send("second");
    if (path === NEWEST_CLI) await queued(shared, second);
    finish.open();
    await shared.called(({ toolResults }) => toolResults.length > 0);
    await session.interrupt();
    expect(ending(await first.result)).toEqual(INTERRUPTED);
    if (path === NEWEST_CLI) expect(ending(await second.result)).toEqual(INTERRUPTED);
    else await second.interrupt();
    expect(await session.send("next").text()).toBe("ok");
  });
});
