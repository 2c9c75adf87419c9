import { connect } from "node:net";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { CHANNELS, type ToolEndEvent } from "hawser";
import { reply, thinking, toolUse } from "hawser/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { EVENT_FIELDS, type EventKind, eventSchema } from "../../src/native/event-shape.js";
import { LiveState } from "../../src/native/live-state.js";
import { type EventReader, nativeWorld, type ReadEvent } from "./native-world.helper.js";

const KINDS = Object.keys(EVENT_FIELDS) as EventKind[];

/** An event that a session of the CLI would publish, for tests that need many. */
function toolEnd(number: number, result: unknown = "ok"): ToolEndEvent {
  return {
    at: number,
    session: 900_000,
    sessionId: undefined,
    call: undefined,
    turn: undefined,
    round: 1,
    toolUseId: `toolu_${number}`,
    tool: "Bash",
    parentToolUseId: null,
    subagentType: undefined,
    input: {},
    outcome: "ok",
    ms: 1,
    result,
  };
}

setFlagsFromString("--expose_gc");
const collectGarbage = runInNewContext("gc") as () => void;

function numberOf({ id }: ReadEvent): number {
  return Number(id.split("-")[1]);
}

describe("GET /hawser/v1/events", () => {
  const world = nativeWorld();

  /** A run with a sub-agent, a question, streamed text and a call, and its last event. */
  async function recordRun(reader: EventReader): Promise<ReadEvent> {
    const file = join(world.place.cwd, "log.txt");
    const agent = {
      description: "look",
      prompt: "Look.",
      subagent_type: "general-purpose",
      run_in_background: false,
    };
    world.script(
      toolUse("Agent", agent),
      toolUse("Read", { file_path: "/etc/hostname" }),
      "Looked.",
      toolUse("Write", { file_path: file, content: "Log\n" }),
      reply([thinking("Hm."), "One two three four five six seven eight."], { chunks: 8 }),
    );
    const { id } = await world.open();
    await world.post(`/sessions/${id}/turns`, { prompt: "Go." });
    let from = 0;
    for (;;) {
      const { data } = await reader.until(
        (event) => ["approval.requested", "turn.end"].includes(event.data.kind),
        from,
      );
      from = reader.seen.findIndex((event) => event.data === data) + 1;
      if (data.kind === "turn.end") break;
      await world.post(`/approvals/${data.approval}`, { decision: "allow" });
    }
    await world.post(`/sessions/${id}/close`);
    await reader.untilKind("session.end", from);
    await world.pool.complete("Call.", { ...world.options, tenant: "bob" });
    return reader.untilKind("call.end", from);
  }

  it("gives the same sequence after a reconnect at every event", async () => {
    const reader = await world.events();
    const { data: first } = await reader.untilKind("snapshot", 0);
    const last = await recordRun(reader);
    reader.leave();
    const events = reader.seen.slice(1, reader.seen.indexOf(last) + 1);
    const numbers = events.map(numberOf);
    const begin = numberOf({ id: first.id, data: undefined });
    expect(numbers).toEqual(numbers.map((_, at) => begin + 1 + at));
    expect(new Set(events.map(({ data }) => data.kind))).toContain("turn.text");

    for (let at = 0; at <= events.length; at += 1) {
      const after = at === 0 ? first.id : (events[at - 1]?.id ?? "");
      // Every second time by the query, as a first connection does.
      const again =
        at % 2 === 0
          ? await world.events("", "admin", after)
          : await world.events(`?after=${after}`);
      const rest = events.slice(at);
      if (rest.length > 0) await again.until(({ id }) => id === last.id, 0);
      again.leave();
      expect(again.seen.slice(0, rest.length)).toEqual(rest);
    }
  });

  it("ends when its signal is aborted, also if the request itself is no longer in memory", async () => {
    const leave = new AbortController();
    const open = async () => {
      const headers = { "x-user": "admin" };
      const { signal } = leave;
      const address = "http://localhost/hawser/v1/events";
      const { body } = await world.api.fetch(new Request(address, { headers, signal }));
      return body?.getReader();
    };
    const reader = await open();
    expect((await reader?.read())?.done).toBe(false);
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    leave.abort();
    for (let isDone = false; !isDone; ) isDone = (await reader?.read())?.done ?? true;
  });

  it("adds up to the state: a snapshot and the events after it give the next snapshot", async () => {
    const reader = await world.events();
    const last = await recordRun(reader);
    const { body } = await world.get("/state");
    while (reader.seen.at(-1)?.id !== body.id) await reader.until(() => true);
    reader.leave();
    const { data: start } = reader.seen[0] as ReadEvent;
    const state = new LiveState(start);
    for (const { data } of reader.seen.slice(1)) state.apply(data);
    const { id: _id, pool, ...after } = body;
    expect(JSON.parse(JSON.stringify(state.snapshot()))).toEqual(after);
    expect(pool.calls.running).toBe(0);
    expect(numberOf(last)).toBeLessThanOrEqual(Number(body.id.split("-")[1]));
  });

  it("has the shape of its schema for every event, and the schemas are those of the golden file", async () => {
    const reader = await world.events();
    await recordRun(reader);
    reader.leave();
    const events = reader.seen.slice(1);
    const failures = events.flatMap(({ data }) => {
      const schema = z.fromJSONSchema(eventSchema(data.kind) as z.core.JSONSchema.JSONSchema);
      const { error } = schema.safeParse(data);
      return error === undefined ? [] : [{ kind: data.kind, error: error.message }];
    });
    expect(failures).toEqual([]);
    const kinds = new Set(events.map(({ data }) => data.kind));
    const seen = KINDS.filter((kind) => kinds.has(kind));
    expect(seen).toEqual(expect.arrayContaining(["tool.end", "round.end", "process.assigned"]));
    const lines = KINDS.map((kind) => `${kind} ${JSON.stringify(eventSchema(kind))}\n`);
    await expect(lines.join("")).toMatchFileSnapshot("./event-schemas.golden.txt");
  });

  it("shows a sub-agent as a tree of tool calls, and joins streamed text", async () => {
    const reader = await world.events();
    await recordRun(reader);
    reader.leave();
    const starts = reader.seen.filter(({ data }) => data.kind === "tool.start");
    const agent = starts.find(({ data }) => data.subagentType !== undefined)?.data;
    const inner = starts.find(({ data }) => data.tool === "Read")?.data;
    expect(inner.parentToolUseId).toBe(agent.toolUseId);
    const texts = reader.seen.filter(({ data }) => data.kind === "turn.text" && data.turn);
    const joined = texts.map(({ data }) => data.text ?? "").join("");
    expect(joined).toContain("One two three four five six seven eight.");
    expect(texts.map(({ data }) => data.thinking ?? "").join("")).toBe("Hm.");
    expect(texts.length).toBeLessThan(9);
  });

  it("sends only the kinds and sessions that were asked for", async () => {
    const all = await world.events();
    const tools = await world.events("?kinds=tool,turn.end");
    const other = await world.events("?session=ses_nothing");
    await recordRun(all);
    await tools.untilKind("turn.end", 0);
    const kinds = new Set(tools.seen.slice(1).map(({ data }) => data.kind));
    expect([...kinds].sort()).toEqual(["tool.end", "tool.start", "turn.end"]);
    const session = all.seen.find(({ data }) => data.kind === "session.start")?.data.session;
    const replayed = await world.events(`?session=${session}&after=${all.seen[0]?.id}`);
    await replayed.untilKind("session.end", 0);
    expect(new Set(replayed.seen.map(({ data }) => data.session))).toEqual(new Set([session]));
    // A snapshot of nothing, and nothing else.
    expect(other.seen.map(({ data }) => data.kind)).not.toContain("tool.start");
    for (const reader of [all, tools, other, replayed]) reader.leave();
  });

  it("cuts and masks large values, and GET /events/:id has all of them", async () => {
    const reader = await world.events();
    await reader.untilKind("snapshot", 0);
    const secret = `sk-${"a1".repeat(20)}`;
    CHANNELS.toolEnd.publish(toolEnd(1, [{ type: "text", text: "x".repeat(100_000) }, secret]));
    const { data } = await reader.untilKind("tool.end");
    reader.leave();
    expect(data.result[0].text).toHaveLength(2000);
    expect(data.cut).toEqual(["result[0].text", "result[1]"]);
    expect(data.result[1]).toBe("***");
    const { body } = await world.get(`/events/${data.id}`);
    expect(body.result[0].text).toHaveLength(100_000);
    expect(body.result[1]).toBe("***");
  });
});

describe("GET /hawser/v1/events with a small log", () => {
  const world = nativeWorld({ log: { maxEvents: 100, maxBytes: 200_000 }, heartbeatMs: 20 });

  it("begins with a reset and a snapshot if the last event is too old or of another run", async () => {
    const reader = await world.events();
    const { data: before } = await reader.untilKind("snapshot", 0);
    for (let n = 0; n < 101; n += 1) CHANNELS.toolEnd.publish(toolEnd(n));
    for (const [after, reason] of [
      [before.id, "too_old"],
      ["00000000-3", "other_run"],
      [`${before.id}999`, "other_run"],
      ["nonsense", "other_run"],
    ] as const) {
      const again = await world.events("", "admin", after);
      const { data: snapshot, id } = await again.untilKind("snapshot", 0);
      // Without an id: the client does not have the snapshot yet.
      expect(again.seen[0]).toEqual({ id: "", data: { kind: "reset", reason, after } });
      expect(snapshot.id).toBe(id);
      CHANNELS.toolEnd.publish(toolEnd(1));
      const next = await again.untilKind("tool.end");
      expect(numberOf(next)).toBe(Number(id.split("-")[1]) + 1);
      again.leave();
    }
    reader.leave();
  });

  it("moves the id of a client forward when nothing is for it", async () => {
    const reader = await world.events("", "bob");
    const { id } = await reader.untilKind("snapshot", 0);
    const publish = setInterval(() => CHANNELS.toolEnd.publish(toolEnd(1)), 1);
    try {
      // The heartbeats are no events, so a read never ends before the test leaves.
      reader.until(() => false).catch(() => {});
      await expect.poll(() => reader.lastId, { timeout: 60_000 }).not.toBe(id);
    } finally {
      clearInterval(publish);
      reader.leave();
    }
    expect(reader.seen).toHaveLength(1);
  });

  it("keeps no memory for a client that does not read, and resets it when it reads again", async () => {
    const { port } = new URL(world.url);
    const socket = connect(Number(port), "127.0.0.1");
    await new Promise<void>((resolve) => socket.once("connect", () => resolve()));
    socket.write("GET /hawser/v1/events HTTP/1.1\r\nhost: localhost\r\n\r\n");
    // The first bytes show that the stream has begun. Nothing is read after them.
    await new Promise<void>((resolve) => socket.once("data", () => resolve()));
    socket.pause();
    const used = (): number => {
      collectGarbage();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    const publish = async (count: number): Promise<void> => {
      for (let n = 0; n < count; n += 1) {
        CHANNELS.toolEnd.publish(toolEnd(n, "y".repeat(1500)));
        // Lets the server write as much as the socket takes.
        if (n % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await publish(10_000);
    const before = used();
    await publish(40_000);
    // 40,000 events are 70 MB.
    expect(used() - before).toBeLessThan(20 * 2 ** 20);

    let text = "";
    const isReset = new Promise<void>((resolve) => {
      socket.on("data", (chunk) => {
        text = (text + chunk).slice(-400_000);
        if (text.includes('"reason":"slow_reader"')) resolve();
      });
    });
    socket.resume();
    await isReset;
    socket.destroy();
  });
});

describe("the cost of watching", () => {
  const world = nativeWorld();

  // Observed: 0.07 ms.
  it("is below a millisecond for an event without readers", async () => {
    const at = performance.now();
    for (let n = 0; n < 5000; n += 1) CHANNELS.toolEnd.publish(toolEnd(n, "z".repeat(200)));
    expect((performance.now() - at) / 5000).toBeLessThan(1);
    expect((await world.get("/state")).status).toBe(200);
  });
});
