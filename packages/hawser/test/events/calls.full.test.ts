import { describe, expect, it, onTestFinished } from "vitest";
import { CHANNELS } from "../../src/base/index.js";
import { complete } from "../../src/complete/index.js";
import { query } from "../../src/query/index.js";
import { always, apiError, hang, toolUse } from "../../src/testing/index.js";
import { onFake, refusedTurn, slowTurn } from "../pool/on-fake.helper.js";
import { clisInTurn } from "../support/cli.js";
import { world } from "../support/world.js";
import { eventsOf, unpaired, watchEvents } from "./watched-events.helper.js";

const anyNumber = expect.any(Number);

describe.each(clisInTurn())("the events of calls on CLI $name", ({ path }) => {
  it("link a call, its session, its turn and its round", async () => {
    const { options } = await world(path, ["A bowline."]);
    const seen = watchEvents();
    await complete("Name a knot.", { ...options, persistSession: true });
    const { call } = eventsOf(seen, "callStart")[0] ?? {};
    const { session, sessionId } = eventsOf(seen, "sessionStart")[0] ?? {};
    const { turn } = eventsOf(seen, "turnStart")[0] ?? {};
    expect([call, session, sessionId, turn]).toEqual([
      anyNumber,
      anyNumber,
      expect.any(String),
      expect.any(String),
    ]);
    const ids = { call, session, sessionId };
    expect(eventsOf(seen, "sessionStart")).toEqual([
      expect.objectContaining({ ...ids, purpose: "call" }),
    ]);
    expect(eventsOf(seen, "turnEnd")).toEqual([
      expect.objectContaining({ ...ids, turn, outcome: "ok", rounds: 1 }),
    ]);
    expect(eventsOf(seen, "roundEnd")).toEqual([
      expect.objectContaining({ ...ids, turn, round: 1, outcome: "ok", stopReason: "end_turn" }),
    ]);
    expect(eventsOf(seen, "callEnd")).toEqual([
      expect.objectContaining({ call, outcome: "ok", ms: anyNumber }),
    ]);
    expect(unpaired(seen)).toEqual([]);
  });

  it("report rounds also without partial messages, and the turns of query()", async () => {
    const { options } = await world(path, ["A bowline."]);
    const seen = watchEvents();
    const { cwd, env, cliPath } = options;
    const messages = query({
      prompt: "Name a knot.",
      options: {
        cwd: cwd as string,
        env: env as NodeJS.ProcessEnv,
        pathToClaudeCodeExecutable: cliPath as string,
      },
    });
    for await (const _ of messages);
    expect(eventsOf(seen, "sessionStart")).toEqual([expect.objectContaining({ purpose: "query" })]);
    const [start] = eventsOf(seen, "turnStart");
    expect(start).toMatchObject({ turn: expect.stringMatching(/^hawser-\d+-1$/) });
    expect(eventsOf(seen, "roundEnd")).toEqual([
      expect.objectContaining({
        turn: start?.["turn"],
        outcome: "ok",
        content: [expect.objectContaining({ type: "text", text: "A bowline." })],
        firstTokenMs: undefined,
      }),
    ]);
    expect(eventsOf(seen, "turnEnd")).toEqual([
      expect.objectContaining({ turn: start?.["turn"], outcome: "ok", rounds: 1 }),
    ]);
    expect(unpaired(seen)).toEqual([]);
  });

  it("report the CLI's own retries and a failed call", async () => {
    const { options } = await world(path, [apiError(529), always(apiError(400))]);
    const seen = watchEvents();
    await expect(complete("x", { ...options, persistSession: true })).rejects.toBeDefined();
    expect(eventsOf(seen, "apiRetry")[0]).toMatchObject({
      attempt: 1,
      status: 529,
      delayMs: anyNumber,
      turn: eventsOf(seen, "turnStart")[0]?.["turn"],
    });
    const [end] = eventsOf(seen, "callEnd");
    expect(end).toMatchObject({
      outcome: expect.not.stringMatching(/^ok$/),
      error: expect.any(Error),
    });
    expect(eventsOf(seen, "turnEnd")[0]).toMatchObject({ outcome: end?.["outcome"], rounds: 0 });
    expect(unpaired(seen)).toEqual([]);
  });

  it("name the tools of the caller, and a sub-agent only for the tool that starts one", async () => {
    const { options } = await world(path, [toolUse("look", { subagent_type: "a secret plan" })]);
    const seen = watchEvents();
    const look = { name: "look", description: "Looks.", inputSchema: { type: "object" } };
    await complete("Look.", { ...options, clientTools: [look] });
    const named = { clientTools: ["look"] };
    expect(eventsOf(seen, "callStart")).toMatchObject([named]);
    expect(eventsOf(seen, "sessionStart")).toMatchObject([named]);
    expect(eventsOf(seen, "toolStart")).toMatchObject([{ tool: "look", subagentType: undefined }]);
  });

  it("do not change how wrong options are refused", async () => {
    watchEvents();
    const clientTools = "look" as unknown as [];
    const refused = { code: "invalid_options" };
    await expect(complete("x", { clientTools })).rejects.toMatchObject(refused);
    const nothing = [null] as unknown as [];
    await expect(complete("x", { clientTools: nothing })).rejects.toMatchObject(refused);
  });

  it("report an aborted call", async () => {
    const { options } = await world(path, [hang()]);
    const seen = watchEvents();
    const controller = new AbortController();
    const abort = () => controller.abort();
    CHANNELS.sessionReady.subscribe(abort);
    onTestFinished(() => CHANNELS.sessionReady.unsubscribe(abort));
    const call = complete("x", { ...options, signal: controller.signal });
    await expect(call).rejects.toMatchObject({ code: "aborted" });
    expect(eventsOf(seen, "callEnd")).toEqual([expect.objectContaining({ outcome: "aborted" })]);
    expect(eventsOf(seen, "turnEnd")).toEqual([expect.objectContaining({ outcome: "aborted" })]);
    expect(unpaired(seen)).toEqual([]);
  });
});

describe("the events of a pool", () => {
  it("report a request that waits, is admitted, or is refused", async () => {
    const { pool, options } = await onFake(
      { concurrency: 1, queueLimit: 1, size: { min: 0, max: 1 } },
      { steps: [{ on: "user", do: slowTurn(50) }] },
    );
    const seen = watchEvents();
    const calls = [1, 2, 3].map((i) => pool.complete(`${i}`, { ...options, tenant: `${i}` }));
    await Promise.allSettled(calls);
    const of = (channel: Parameters<typeof eventsOf>[1]) =>
      eventsOf(seen, channel).map(({ tenant, queued, ms, code }) => ({ tenant, queued, ms, code }));
    const [first] = eventsOf(seen, "admissionAdmitted");
    expect(first).toMatchObject({
      pool: anyNumber,
      admission: 1,
      call: anyNumber,
      purpose: "call",
    });
    expect(of("admissionQueued")).toEqual([{ tenant: "2", queued: 1 }]);
    expect(of("admissionAdmitted").map(({ tenant }) => tenant)).toEqual(["1", "2"]);
    expect(Number(of("admissionAdmitted")[1]?.ms)).toBeGreaterThan(20);
    expect(of("admissionRefused")).toEqual([
      { tenant: "3", queued: 1, ms: anyNumber, code: "pool_full" },
    ]);
    const assigned = eventsOf(seen, "processAssigned");
    expect(assigned.map(({ call }) => call)).toEqual(
      eventsOf(seen, "admissionAdmitted").map(({ call }) => call),
    );
    expect(assigned.map(({ session }) => session)).toEqual(
      eventsOf(seen, "sessionStart").map(({ session }) => session),
    );
  });

  it("report the pause after the API has refused a call, and the retry of the call", async () => {
    const { pool, options } = await onFake(
      { size: { min: 0, max: 1 } },
      {
        steps: [
          { on: "user", do: refusedTurn(429) },
          { on: "user", do: slowTurn(1) },
        ],
      },
    );
    const seen = watchEvents();
    await pool.complete("x", { ...options, retry: { attempts: 1, baseMs: 1 } });
    const [pause] = eventsOf(seen, "pauseStart");
    expect(pause).toMatchObject({
      code: "rate_limited",
      account: expect.any(String),
      limit: anyNumber,
    });
    expect(Number(pause?.["until"])).toBeCloseTo(Number(pause?.["at"]) + Number(pause?.["ms"]));
    const [start] = eventsOf(seen, "callStart");
    expect(eventsOf(seen, "callRetry")).toEqual([
      expect.objectContaining({ call: start?.["call"], attempt: 1, of: 1, code: "rate_limited" }),
    ]);
    expect(eventsOf(seen, "sessionStart").map(({ call }) => call)).toEqual([
      start?.["call"],
      start?.["call"],
    ]);
  });
});
