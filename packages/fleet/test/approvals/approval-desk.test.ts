import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Claim } from "../../src/runs/claims.js";
import { lockRun } from "../../src/runs/lock-run.js";
import { startDatabaseProxy } from "../support/database-proxy.js";
import { ApprovalWorld, type Program, toolQuestion } from "./approval-world.helper.js";

const NO_SIGNAL = new AbortController().signal;
const ALLOW = { behavior: "allow" } as const;
const FOR_SESSION = { behavior: "allow", scope: "session" } as const;

let world: ApprovalWorld;
let worker: Program;
let person: Program;
beforeAll(async () => {
  world = await ApprovalWorld.create();
  worker = await world.program();
  person = await world.program();
});
afterAll(() => world[Symbol.asyncDispose]());

describe("question.wait()", () => {
  it("resolves with the answer of another program", async () => {
    const claim = await world.claim(worker);
    const question = await worker.desk.open(claim, toolQuestion(claim), {});
    const answered = question.wait(60_000, NO_SIGNAL);
    await person.approvals.answer(question.id, { behavior: "deny", message: "Not today." });
    expect(await answered).toEqual({ behavior: "deny", message: "Not today." });
  });

  it("resolves with undefined after the time, and when the signal aborts", async () => {
    const claim = await world.claim(worker);
    const question = await worker.desk.open(claim, toolQuestion(claim), {});
    expect(await question.wait(10, NO_SIGNAL)).toBeUndefined();
    const controller = new AbortController();
    const waiting = question.wait(60_000, controller.signal);
    controller.abort();
    expect(await waiting).toBeUndefined();
    expect(await person.approvals.pending({ run: claim.run.id })).toMatchObject([
      { id: question.id },
    ]);
  });

  it("resolves with the denial when the question expires while it waits", async () => {
    const claim = await world.claim(worker);
    const expiresAt = new Date(Date.now() + 500);
    const question = await worker.desk.open(claim, toolQuestion(claim), { expiresAt });
    expect(await question.wait(60_000, NO_SIGNAL)).toMatchObject({ behavior: "deny" });
  });

  it("does not wait for a transaction that has locked another run whose question expires", async () => {
    const [claim, locked] = [await world.claim(worker), await world.claim(worker)];
    const expiresAt = new Date(Date.now() - 1);
    const question = await worker.desk.open(claim, toolQuestion(claim), {});
    const calls = new EventEmitter();
    const due = await worker.desk.open(locked, toolQuestion(locked), { expiresAt });
    const calling = worker.database.transaction(async (db) => {
      await lockRun(worker.parts, db, locked.run.id);
      calls.emit("locked");
      await once(calls, "answered");
    });
    await once(calls, "locked");
    await person.approvals.answer(question.id, ALLOW);
    expect(await question.wait(60_000, NO_SIGNAL)).toEqual(ALLOW);
    expect(await person.approvals.pending({ run: locked.run.id })).toHaveLength(1);
    calls.emit("answered");
    await calling;
    expect(await due.wait(60_000, NO_SIGNAL)).toMatchObject({ behavior: "deny" });
  });

  it("begins to wait although the database cannot be reached at the moment", async () => {
    const proxy = await startDatabaseProxy(world.url);
    const host = await world.program(proxy.url);
    const claim = await world.claim(host);
    const question = await host.desk.open(claim, toolQuestion(claim), {});
    await proxy.close();
    expect(await question.wait(100, NO_SIGNAL)).toBeUndefined();
    expect(await person.approvals.pending({ run: claim.run.id })).toHaveLength(1);
  });

  it("hears of an answer although the connection for notifications is silent", async () => {
    const proxy = await startDatabaseProxy(world.url);
    const host = await world.program(proxy.url);
    const claim = await world.claim(host);
    const question = await host.desk.open(claim, toolQuestion(claim), {});
    const silent = proxy.silenceAt("listen ");
    const listening = host.database.listen("approval", () => {}).catch(() => "gave up");
    await silent;
    const answered = question.wait(60_000, NO_SIGNAL);
    await person.approvals.answer(question.id, ALLOW);
    expect(await Promise.race([answered, listening])).toEqual(ALLOW);
    expect(await listening).toBe("gave up");
    await proxy.close();
  });

  it("goes on waiting after all connections to the database were cut", async () => {
    const claim = await world.claim(worker);
    const question = await worker.desk.open(claim, toolQuestion(claim), {});
    const answered = question.wait(60_000, NO_SIGNAL);
    await world.cutConnections();
    await expect
      .poll(() => person.approvals.answer(question.id, ALLOW).catch(() => "database_unavailable"), {
        timeout: 30_000,
      })
      .toBe("counted");
    expect(await answered).toEqual(ALLOW);
  });
});

describe("desk.open()", () => {
  it("asks once for each tool call, and returns an answer that exists", async () => {
    const claim = await world.claim(worker);
    const question = toolQuestion(claim);
    const first = await worker.desk.open(claim, question, {});
    const again = await worker.desk.open(claim, question, {});
    expect(again.id).toBe(first.id);
    await person.approvals.answer(first.id, ALLOW);
    const later = await worker.desk.open(claim, question, {});
    expect(later.id).toBe(first.id);
    expect(await later.wait(0, NO_SIGNAL)).toEqual(ALLOW);
    const types = await world.eventTypes(worker, claim.run.id);
    expect(types).toEqual(["asked", "answered"]);
  });

  it("throws lease_lost if another host has the session, and writes nothing", async () => {
    const claim = await world.claim(worker);
    await world.takeOver(worker, claim);
    await expect(worker.desk.open(claim, toolQuestion(claim), {})).rejects.toMatchObject({
      code: "lease_lost",
    });
    expect(await person.approvals.pending({ run: claim.run.id })).toEqual([]);
    expect(await world.eventTypes(worker, claim.run.id)).toEqual([]);
  });

  it("denies the call of an earlier run of the session that was cancelled, without a question", async () => {
    const first = await world.claim(worker);
    const question = toolQuestion(first, { toolUseId: "toolu_parked" });
    const { id } = await worker.desk.open(first, question, {});
    await world.park(worker, first, id);
    await worker.run(first.run.id).cancel("nobody needs it");
    const second = await world.claim(worker, { session: first.run.sessionId });
    const again = await worker.desk.open(second, question, {});
    expect(await again.wait(0, NO_SIGNAL)).toMatchObject({ behavior: "deny" });
    expect(await person.approvals.pending({ run: second.run.id })).toEqual([]);
  });
});

describe("an answer with the scope session", () => {
  it("allows later questions of the session without asking, also of later runs", async () => {
    const first = await world.claim(worker);
    const asked = await worker.desk.open(first, toolQuestion(first), {});
    await person.approvals.answer(asked.id, FOR_SESSION, { by: "ada" });
    await world.settle(worker, first);
    const second = await world.claim(worker, { session: first.run.sessionId });
    const granted = await worker.desk.open(second, toolQuestion(second), {});
    expect(await granted.wait(0, NO_SIGNAL)).toEqual(ALLOW);
    expect(await person.approvals.records({ run: second.run.id })).toMatchObject([
      { id: granted.id, outcome: "granted", grantedBy: asked.id, by: "ada", decision: ALLOW },
    ]);
    expect(await world.eventTypes(worker, second.run.id)).toEqual(["answered"]);
  });

  it("does not allow another session, another call or another reason", async () => {
    const claim = await world.claim(worker);
    const asked = await worker.desk.open(claim, toolQuestion(claim), {});
    await person.approvals.answer(asked.id, FOR_SESSION);
    const stranger = await world.claim(worker);
    const isOpen = async (from: Claim, options: Parameters<typeof toolQuestion>[1]) => {
      const question = await worker.desk.open(from, toolQuestion(from, options), {});
      return (await question.wait(0, NO_SIGNAL)) === undefined;
    };
    expect(await isOpen(claim, {})).toBe(false);
    expect(await isOpen(stranger, {})).toBe(true);
    expect(await isOpen(claim, { input: { command: "rm -rf ." } })).toBe(true);
    expect(await isOpen(claim, { reasonType: "safetyCheck" })).toBe(true);
  });

  it("answers the open questions that it covers", async () => {
    const claim = await world.claim(worker);
    const first = await worker.desk.open(claim, toolQuestion(claim), {});
    const same = await worker.desk.open(claim, toolQuestion(claim), {});
    const other = await worker.desk.open(
      claim,
      toolQuestion(claim, { input: { command: "ls" } }),
      {},
    );
    const waiting = same.wait(60_000, NO_SIGNAL);
    await person.approvals.answer(first.id, FOR_SESSION);
    expect(await waiting).toEqual(ALLOW);
    expect(await person.approvals.pending({ run: claim.run.id })).toMatchObject([{ id: other.id }]);
    expect(await person.approvals.answer(same.id, ALLOW)).toBe("too_late");
  });

  it("is refused for a call that can only be allowed once", async () => {
    const claim = await world.claim(worker);
    const plan = toolQuestion(claim, { tool: "ExitPlanMode", input: { plan: "1. Build" } });
    const { id } = await worker.desk.open(claim, plan, {});
    await expect(person.approvals.answer(id, FOR_SESSION)).rejects.toMatchObject({
      code: "invalid_options",
      issues: [{ path: "decision.scope" }],
    });
  });
});

describe("desk.withdraw() and desk.beginSegment()", () => {
  it("withdraws a question once", async () => {
    const claim = await world.claim(worker);
    const question = await worker.desk.open(claim, toolQuestion(claim), {});
    const waiting = question.wait(60_000, NO_SIGNAL);
    await worker.desk.withdraw(claim, question.id);
    await worker.desk.withdraw(claim, question.id);
    expect(await waiting).toMatchObject({ behavior: "deny" });
    expect(await person.approvals.answer(question.id, ALLOW)).toBe("too_late");
    expect(await world.eventTypes(worker, claim.run.id)).toEqual(["asked", "answered"]);
    await worker.desk.withdraw(claim, randomUUID());
  });

  it("leaves a question alone that a later segment has taken over", async () => {
    const claim = await world.claim(worker);
    const question = toolQuestion(claim);
    const { id } = await worker.desk.open(claim, question, {});
    const later = await world.takeOver(worker, claim);
    await worker.desk.open(later, question, {});
    await worker.desk.withdraw(claim, id);
    expect(await person.approvals.pending({ run: claim.run.id })).toMatchObject([{ id }]);
  });

  it("withdraws what a dead segment left open, and asks again if the CLI puts the call forward again", async () => {
    const claim = await world.claim(worker);
    const [lost, parked] = [toolQuestion(claim), toolQuestion(claim, { input: { command: "ls" } })];
    const first = await worker.desk.open(claim, lost, {});
    const second = await worker.desk.open(claim, parked, {});
    const later = await world.takeOver(worker, claim);
    await worker.desk.beginSegment(later);
    expect(await person.approvals.pending({ run: claim.run.id })).toEqual([]);
    const again = await worker.desk.open(later, parked, {});
    expect(again.id).toBe(second.id);
    expect(await person.approvals.pending({ run: claim.run.id })).toMatchObject([
      { id: second.id },
    ]);
    expect(await person.approvals.answer(second.id, ALLOW)).toBe("counted");
    expect(await person.approvals.answer(first.id, ALLOW)).toBe("too_late");
    await expect(worker.desk.beginSegment(claim)).rejects.toMatchObject({ code: "lease_lost" });
  });

  it("keeps the questions of calls that the CLI will put forward again", async () => {
    const claim = await world.claim(worker);
    const kept = toolQuestion(claim, { toolUseId: "toolu_kept" });
    const lost = toolQuestion(claim, { toolUseId: "toolu_lost" });
    const { id } = await worker.desk.open(claim, kept, {});
    await worker.desk.open(claim, lost, {});
    const later = await world.takeOver(worker, claim);
    await worker.desk.beginSegment(later, { keep: ["toolu_kept"] });
    expect(await person.approvals.pending({ run: claim.run.id })).toMatchObject([{ id }]);
    const known = (toolUseId: string) => worker.desk.questionOf(claim.run.id, toolUseId);
    expect(await known("toolu_kept")).toEqual({ id, state: "open", decision: undefined });
    expect(await known("toolu_lost")).toMatchObject({ state: "withdrawn", decision: undefined });
    expect(await known("toolu_unknown")).toBeUndefined();
    await person.approvals.answer(id, ALLOW);
    expect(await known("toolu_kept")).toEqual({ id, state: "answered", decision: ALLOW });
  });

  it("keeps an answer that came while no host had the run", async () => {
    const claim = await world.claim(worker);
    const question = toolQuestion(claim);
    const { id } = await worker.desk.open(claim, question, {});
    await person.approvals.answer(id, ALLOW);
    const later = await world.takeOver(worker, claim);
    await worker.desk.beginSegment(later);
    const again = await worker.desk.open(later, question, {});
    expect(await again.wait(0, NO_SIGNAL)).toEqual(ALLOW);
  });
});
