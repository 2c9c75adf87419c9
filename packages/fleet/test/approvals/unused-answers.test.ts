import { randomUUID } from "node:crypto";
import type { Approval, ApprovalDecision } from "hawser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Claim } from "../../src/runs/claims.js";
import { recordIntent, removeIntent } from "../../src/sessions/intents.js";
import { failedWith } from "../support/run-world.js";
import { ApprovalWorld, type Program, toolQuestion } from "./approval-world.helper.js";

const NO_SIGNAL = new AbortController().signal;
const ALLOW = { behavior: "allow" } as const;
const NOT_TODAY = { behavior: "deny", message: "Not today." } as const;

let world: ApprovalWorld;
let worker: Program;
let person: Program;
beforeAll(async () => {
  world = await ApprovalWorld.create();
  worker = await world.program();
  person = await world.program();
});
afterAll(() => world[Symbol.asyncDispose]());

/** A question of a first segment, and its answer. The host dies before it can use the answer. */
async function answered(decision: ApprovalDecision = ALLOW) {
  const lost = await world.claim(worker);
  const question = toolQuestion(lost);
  const { id } = await worker.desk.open(lost, question, {});
  await person.approvals.answer(id, decision, { by: "ann" });
  return { id, lost, question };
}

/** The answer that a call gets at once; undefined if a person is asked. */
async function answerTo(claim: Claim, options?: Parameters<typeof toolQuestion>[1]) {
  const open = await worker.desk.open(claim, toolQuestion(claim, options), {});
  const pending = await person.approvals.pending({ run: claim.run.id });
  if (pending.some(({ id }) => id === open.id)) return undefined;
  return { id: open.id, decision: await open.wait(0, NO_SIGNAL) };
}

function begin(claim: Claim, toolUseId: string): Promise<void> {
  const { run, segment, epoch } = claim;
  const owner = { run: run.id, sessionId: run.sessionId, segment, epoch };
  const call = { toolUseId, tool: "Bash", input: {} };
  return recordIntent(worker.database, worker.database.schema, owner, call);
}

describe("an answer whose host was lost before it could use it", () => {
  it("is for the very same call of the next segment, once, and nobody is asked", async () => {
    const { id, lost } = await answered();
    const next = await world.takeOver(worker, lost);
    const toolUseId = `toolu_${randomUUID()}`;
    expect(await answerTo(next, { toolUseId })).toEqual({ id, decision: ALLOW });
    // It is the answer to this call now, and no second call gets it, neither here nor after another death.
    expect(await worker.desk.answerOf(next.run.id, toolUseId)).toEqual(ALLOW);
    expect(await answerTo(next)).toBeUndefined();
    expect(await world.eventTypes(worker, next.run.id)).toEqual(["asked", "answered", "asked"]);
    expect(await person.approvals.records({ run: next.run.id })).toMatchObject([
      { id, by: "ann", outcome: "answered" },
    ]);
  });

  it("is for one of ten calls that come at once", async () => {
    const { id, lost } = await answered();
    const next = await world.takeOver(worker, lost);
    const calls = Array.from({ length: 10 }, () => worker.desk.open(next, toolQuestion(next), {}));
    const ids = (await Promise.all(calls)).map((call) => call.id);
    expect(ids.filter((each) => each === id)).toHaveLength(1);
    expect(await person.approvals.pending({ run: next.run.id })).toHaveLength(9);
  });

  it("waits for the call through several deaths, and keeps the input that the person changed", async () => {
    const decision = { behavior: "allow", updatedInput: { command: "git push -n" } } as const;
    const { id, lost } = await answered(decision);
    const second = await world.takeOver(worker, lost);
    expect(await answerTo(second)).toEqual({ id, decision });
    const third = await world.takeOver(worker, second);
    expect(await answerTo(third)).toEqual({ id, decision });
  });

  it("is not for another call", async () => {
    const { lost } = await answered();
    const next = await world.takeOver(worker, lost);
    expect(await answerTo(next, { input: { command: "git push --force" } })).toBeUndefined();
    expect(await answerTo(next, { tool: "PowerShell" })).toBeUndefined();
    expect(await answerTo(next, { reasonType: "safetyCheck" })).toBeUndefined();
  });

  it("is not for a call of a sub-agent", async () => {
    const ask = (claim: Claim) =>
      worker.desk.open(claim, { ...toolQuestion(claim), agentId: "agent" } as Approval, {});
    const lost = await world.claim(worker);
    const { id } = await ask(lost);
    await person.approvals.answer(id, ALLOW);
    const next = await world.takeOver(worker, lost);
    const again = await ask(next);
    const pending = await person.approvals.pending({ run: next.run.id });
    expect(pending.map((question) => question.id)).toEqual([again.id]);
  });

  it("is not used if the call was begun: then it is uncertain, and a person is asked", async () => {
    const { lost, question } = await answered();
    if (question.kind === "elicitation") throw new Error("no call");
    await begin(lost, question.toolUseId);
    const next = await world.takeOver(worker, lost);
    expect(next.uncertain).toMatchObject([{ toolUseId: question.toolUseId }]);
    expect(await answerTo(next)).toBeUndefined();
  });

  it("is not used if any call was begun since, because the person would see another state", async () => {
    const { id, lost } = await answered();
    const second = await world.takeOver(worker, lost);
    const { run, segment, epoch } = second;
    await begin(second, "toolu_suspended");
    const owner = { run: run.id, sessionId: run.sessionId, segment, epoch };
    await removeIntent(worker.database, worker.database.schema, owner, "toolu_suspended");
    expect(await answerTo(second)).toMatchObject({ id });
    const third = await world.takeOver(worker, second);
    await begin(third, "toolu_begun");
    expect(await answerTo(third)).toBeUndefined();
  });

  it("is not used after the run has failed and was retried", async () => {
    const { lost } = await answered();
    await worker.claims.settle(lost, failedWith());
    expect(await worker.run(lost.run.id).retry()).toBe(true);
    const next = await worker.claims.claim({ host: "host-a", queues: [lost.run.queue] });
    if (next === undefined) throw new Error("nothing was claimed");
    expect(await answerTo(next)).toBeUndefined();
  });

  it("that denies is used if the transcript does not know of the call, and asked again if it does", async () => {
    const unknown = await answered(NOT_TODAY);
    const next = await world.takeOver(worker, unknown.lost);
    expect(await answerTo(next)).toEqual({ id: unknown.id, decision: NOT_TODAY });
    const known = await answered(NOT_TODAY);
    if (known.question.kind === "elicitation") throw new Error("no call");
    await worker.rows(
      `insert into hawser.entry (session_id, seq, uuid, epoch, body) values ($1, 0, 'a', 1, $2)`,
      [known.lost.run.sessionId, JSON.stringify({ id: known.question.toolUseId })],
    );
    expect(await answerTo(await world.takeOver(worker, known.lost))).toBeUndefined();
  });
});
