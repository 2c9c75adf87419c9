import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { ApprovalWorld, elicitation, type Program, toolQuestion } from "./approval-world.helper.js";

const NO_SIGNAL = new AbortController().signal;

let world: ApprovalWorld;
let program: Program;
beforeAll(async () => {
  world = await ApprovalWorld.create();
  program = await world.program();
});
afterAll(() => world[Symbol.asyncDispose]());

describe("fleet.approvals.pending()", () => {
  it("lists a question with the shape of the core, its run and its tenant", async () => {
    const claim = await world.claim(program, { tenant: "shape" });
    const input = { command: "printf 'a\u0000b\ud800'", description: "prints" };
    const question = toolQuestion(claim, { input, toolUseId: "toolu_1" });
    const { id } = await program.desk.open(claim, question, {});
    const [pending, ...others] = await program.approvals.pending({ tenant: "shape" });
    expect(others).toEqual([]);
    const { id: _, askedAt: __, ...facts } = question;
    expect(pending).toMatchObject({ ...facts, id, run: claim.run.id, tenant: "shape" });
    expect(JSON.parse(JSON.stringify(pending))).toEqual(pending);
    expect(Math.abs(Date.parse(pending?.askedAt ?? "") - Date.now())).toBeLessThan(60_000);
  });

  it("filters by tenant and by run", async () => {
    const [one, other] = [
      await world.claim(program, { tenant: "filter-a" }),
      await world.claim(program, { tenant: "filter-b" }),
    ];
    const first = await program.desk.open(one, toolQuestion(one), {});
    const second = await program.desk.open(other, toolQuestion(other), {});
    const idsOf = async (filter: { tenant?: string; run?: string }) =>
      (await program.approvals.pending(filter)).map(({ id }) => id);
    expect(await idsOf({ tenant: "filter-a" })).toEqual([first.id]);
    expect(await idsOf({ run: other.run.id })).toEqual([second.id]);
    expect(await idsOf({ tenant: "filter-a", run: other.run.id })).toEqual([]);
    expect(await idsOf({ run: "no-uuid" })).toEqual([]);
    expect(await idsOf({})).toEqual(expect.arrayContaining([first.id, second.id]));
  });
});

describe("fleet.approvals.answer()", () => {
  it("counts one of 20 simultaneous answers of four programs, and queues the run once", async () => {
    const claim = await world.claim(program);
    const { id } = await program.desk.open(claim, toolQuestion(claim), {});
    await world.park(program, claim, id);
    const programs = await Promise.all([1, 2, 3, 4].map(() => world.program()));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, place) => {
        const { approvals } = programs[place % 4] ?? program;
        return approvals.answer(id, { behavior: "allow" }, { by: `person ${place}` });
      }),
    );
    expect(answers.filter((each) => each === "counted")).toHaveLength(1);
    expect(answers.filter((each) => each === "too_late")).toHaveLength(19);
    const winner = `person ${answers.indexOf("counted")}`;
    const records = await program.approvals.records({ run: claim.run.id });
    expect(records).toMatchObject([{ id, outcome: "answered", by: winner, edited: false }]);
    expect(await world.questionEvents(program, claim.run.id)).toMatchObject([
      { type: "asked", approval: id, tool: "Bash" },
      { type: "answered", approval: id, outcome: "allow", by: winner },
    ]);
    expect(await stateOf(claim.run.id)).toBe("queued");
    const next = await program.claims.claim({ host: "host-b", queues: [claim.run.queue] });
    expect(next).toMatchObject({ run: { id: claim.run.id }, how: "answered", segment: 2 });
    expect(
      await program.claims.claim({ host: "host-b", queues: [claim.run.queue] }),
    ).toBeUndefined();
    expect(await program.approvals.pending({ run: claim.run.id })).toEqual([]);
  });

  it("refuses a decision that does not fit with invalid_options, and the question stays open", async () => {
    const claim = await world.claim(program);
    const { id } = await program.desk.open(claim, toolQuestion(claim), {});
    await expect(
      program.approvals.answer(id, { behavior: "answer", answers: {} }),
    ).rejects.toMatchObject({
      code: "invalid_options",
      issues: [{ path: "decision.behavior" }],
    });
    await expect(program.approvals.answer(id, null as never)).rejects.toMatchObject({
      code: "invalid_options",
    });
    expect(await program.approvals.pending({ run: claim.run.id })).toMatchObject([{ id }]);
    expect(await program.approvals.answer(id, { behavior: "deny" })).toBe("counted");
  });

  it("refuses an id that no question ever had, and a name that cannot be stored", async () => {
    for (const id of [randomUUID(), "nonsense", "", "'; drop table run", 7 as never]) {
      await expect(program.approvals.answer(id, { behavior: "allow" })).rejects.toMatchObject({
        code: "invalid_options",
        issues: [{ path: "id" }],
      });
    }
    const claim = await world.claim(program);
    const { id } = await program.desk.open(claim, toolQuestion(claim), {});
    await expect(
      program.approvals.answer(id, { behavior: "allow" }, { by: "a\0b" }),
    ).rejects.toMatchObject({ code: "invalid_options", issues: [{ path: "by" }] });
  });

  it("is too late for a run that was settled or cancelled meanwhile", async () => {
    const [settled, cancelled] = [await world.claim(program), await world.claim(program)];
    const held = await program.desk.open(settled, toolQuestion(settled), {});
    const parked = await program.desk.open(cancelled, toolQuestion(cancelled), {});
    await world.park(program, cancelled, parked.id);
    await world.settle(program, settled);
    await program.run(cancelled.run.id).cancel("nobody needs it");
    for (const [claim, { id }] of [
      [settled, held],
      [cancelled, parked],
    ] as const) {
      expect(await program.approvals.answer(id, { behavior: "allow" })).toBe("too_late");
      expect(await program.approvals.records({ run: claim.run.id })).toMatchObject([
        { id, outcome: "withdrawn" },
      ]);
    }
    expect(await stateOf(cancelled.run.id)).toBe("cancelled");
    await expect(program.desk.open(settled, toolQuestion(settled), {})).rejects.toMatchObject({
      code: "lease_lost",
    });
  });

  it("queues the run at once if the answer came while the process was being parked", async () => {
    const claim = await world.claim(program);
    const { id } = await program.desk.open(claim, toolQuestion(claim), {});
    expect(await program.approvals.answer(id, { behavior: "allow" })).toBe("counted");
    expect(await stateOf(claim.run.id)).toBe("running");
    await world.park(program, claim, id);
    expect(await stateOf(claim.run.id)).toBe("queued");
  });

  it("answers AskUserQuestion, plans and questions of MCP servers", async () => {
    const claim = await world.claim(program);
    const options = [{ label: "Left" }, { label: "Right" }];
    const ask = toolQuestion(claim, {
      tool: "AskUserQuestion",
      input: { questions: [{ question: "Which way?", options, multiSelect: false }] },
    });
    const plan = toolQuestion(claim, { tool: "ExitPlanMode", input: { plan: "1. Build" } });
    const opened = [
      await program.desk.open(claim, ask, {}),
      await program.desk.open(claim, plan, {}),
      await program.desk.open(claim, elicitation(claim, "Your name?"), {}),
      await program.desk.open(claim, elicitation(claim, "Your age?"), {}),
    ];
    const pending = await program.approvals.pending({ run: claim.run.id });
    expect(pending.map(({ kind }) => kind)).toEqual([
      "question",
      "plan",
      "elicitation",
      "elicitation",
    ]);
    const decisions = [
      { behavior: "answer", answers: { "Which way?": "Left" } },
      { behavior: "deny", message: "Test first." },
      { behavior: "accept", content: { name: "Ada" } },
      { behavior: "decline" },
    ] as const;
    for (const [place, question] of opened.entries()) {
      const decision = decisions[place];
      if (decision === undefined) throw new Error("There is a decision for each question.");
      expect(await program.approvals.answer(question.id, decision)).toBe("counted");
      expect(await question.wait(0, NO_SIGNAL)).toEqual(decision);
    }
    const events = await world.questionEvents(program, claim.run.id);
    const outcomes = events.flatMap((event) => (event.type === "answered" ? event.outcome : []));
    expect(outcomes).toEqual(["allow", "deny", "allow", "deny"]);
    expect((await program.approvals.records({ run: claim.run.id })).at(-1)).toMatchObject({
      kind: "elicitation",
      server: "forms",
    });
  });
});

describe("a question with expiresAt", () => {
  it("is denied when its time is over, whoever looks, and its run goes on", async () => {
    const claim = await world.claim(program);
    const { id } = await program.desk.open(claim, toolQuestion(claim), {
      expiresAt: new Date(Date.now() + 300),
    });
    await world.park(program, claim, id);
    const pending = () => program.approvals.pending({ run: claim.run.id });
    await expect.poll(pending, { timeout: 30_000 }).toEqual([]);
    expect(await program.approvals.answer(id, { behavior: "allow" })).toBe("too_late");
    expect(await program.approvals.records({ run: claim.run.id })).toMatchObject([
      { id, outcome: "expired", code: "approval_expired", decision: { behavior: "deny" } },
    ]);
    expect(await stateOf(claim.run.id)).toBe("queued");
    const answer = await program.desk.answerOf(claim.run.id, toolUseIdOf(await recordOf(id)));
    expect(answer).toMatchObject({
      behavior: "deny",
      message: expect.stringMatching(/within \d+ ms/),
    });
  });

  it("is too late at its time even if nobody has looked before", async () => {
    const claim = await world.claim(program);
    const { id } = await program.desk.open(claim, toolQuestion(claim), { expiresAt: new Date(0) });
    expect(await program.approvals.answer(id, { behavior: "allow" })).toBe("too_late");
    expect(await recordOf(id)).toMatchObject({ outcome: "expired" });
  });

  it("expires once if many programs look at the same time", async () => {
    const claim = await world.claim(program);
    const opened = await Promise.all(
      Array.from({ length: 30 }, () =>
        program.desk.open(claim, toolQuestion(claim), { expiresAt: new Date(0) }),
      ),
    );
    const programs = await Promise.all([1, 2, 3].map(() => world.program()));
    let expired = 0;
    // A program leaves the questions of a run that another program has locked to the next look.
    await vi.waitFor(
      async () => {
        const counts = await Promise.all(programs.map(({ desk }) => desk.expireDue()));
        for (const count of counts) expired += count;
        expect(expired).toBe(opened.length);
      },
      { timeout: 20_000 },
    );
    const types = await world.eventTypes(program, claim.run.id);
    const expiries = types.filter((type) => type === "answered");
    expect(expiries).toHaveLength(opened.length);
  });

  it("cancels the question of an MCP server", async () => {
    const claim = await world.claim(program);
    const question = await program.desk.open(claim, elicitation(claim, "Your name?"), {
      expiresAt: new Date(0),
    });
    expect(await question.wait(10_000, NO_SIGNAL)).toEqual({ behavior: "cancel" });
  });
});

describe("fleet.approvals.records()", () => {
  it("returns the newest records, the oldest first, of one tenant", async () => {
    const claim = await world.claim(program, { tenant: "records" });
    const ids: string[] = [];
    for (const behavior of ["allow", "deny", "allow"] as const) {
      const { id } = await program.desk.open(claim, toolQuestion(claim), {});
      await program.approvals.answer(id, { behavior }, { by: "ada" });
      ids.push(id);
    }
    const all = await program.approvals.records({ tenant: "records" });
    expect(all.map(({ id }) => id)).toEqual(ids);
    expect(all.map(({ settledAt }) => settledAt)).toEqual(
      all.map(({ settledAt }) => settledAt).toSorted(),
    );
    const newest = await program.approvals.records({ tenant: "records", limit: 2 });
    expect(newest.map(({ id }) => id)).toEqual(ids.slice(1));
    await expect(program.approvals.records({ limit: -1 })).rejects.toMatchObject({
      code: "invalid_options",
    });
  });

  it("says whether the person has changed the input", async () => {
    const claim = await world.claim(program);
    const question = await program.desk.open(claim, toolQuestion(claim), {});
    const decision = {
      behavior: "allow",
      updatedInput: { command: "git push --dry-run" },
    } as const;
    await program.approvals.answer(question.id, decision);
    expect(await question.wait(0, NO_SIGNAL)).toEqual(decision);
    expect(await recordOf(question.id)).toMatchObject({ edited: true });
  });
});

async function stateOf(run: string): Promise<string> {
  return (await program.run(run).info()).state;
}

async function recordOf(id: string) {
  const record = (await program.approvals.records()).find((each) => each.id === id);
  if (record === undefined) throw new Error(`There is no record of ${id}.`);
  return record;
}

function toolUseIdOf({ toolUseId }: { toolUseId?: string }): string {
  if (toolUseId === undefined) throw new Error("The record is not of a tool call.");
  return toolUseId;
}
