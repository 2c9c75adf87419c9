import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FleetApprovalChange } from "../../src/approvals/fleet-approvals.js";
import { ApprovalWorld, type Program, toolQuestion } from "./approval-world.helper.js";

const ALLOW = { behavior: "allow" } as const;

let world: ApprovalWorld;
let program: Program;
beforeAll(async () => {
  world = await ApprovalWorld.create();
  program = await world.program();
});
afterAll(() => world[Symbol.asyncDispose]());

describe("fleet.approvals.watch()", () => {
  it("begins with the open questions and goes on with every change, the same for all readers", async () => {
    const claim = await world.claim(program, { tenant: "watched" });
    const open = await program.desk.open(claim, toolQuestion(claim), {});
    const readers = [program, await world.program()].map(({ approvals }) =>
      read(approvals.watch({ tenant: "watched" })),
    );
    for (const reader of readers) {
      expect(await reader.next()).toMatchObject({ type: "asked", approval: { id: open.id } });
    }
    const later = await program.desk.open(claim, toolQuestion(claim), {});
    await program.approvals.answer(later.id, ALLOW, { by: "ada" });
    await program.desk.withdraw(claim, open.id);
    const seen = await Promise.all(
      readers.map(async (reader) => [
        await reader.next(),
        await reader.next(),
        await reader.next(),
      ]),
    );
    expect(seen[0]).toMatchObject([
      { type: "asked", approval: { id: later.id, run: claim.run.id, tenant: "watched" } },
      { type: "answered", id: later.id, record: { by: "ada", decision: ALLOW } },
      { type: "withdrawn", id: open.id, record: { outcome: "withdrawn" } },
    ]);
    expect(seen[1]).toEqual(seen[0]);
    await Promise.all(readers.map((reader) => reader.end()));
  });

  it("continues after a number, without a gap and without a double", async () => {
    const claim = await world.claim(program, { tenant: "continued" });
    const first = await program.desk.open(claim, toolQuestion(claim), {});
    const reader = read(program.approvals.watch({ tenant: "continued" }));
    const { seq } = await reader.next();
    await reader.end();
    await program.approvals.answer(first.id, ALLOW);
    const second = await program.desk.open(claim, toolQuestion(claim), {});
    const again = read(program.approvals.watch({ tenant: "continued", after: seq }));
    expect(await again.next()).toMatchObject({ type: "answered", id: first.id });
    expect(await again.next()).toMatchObject({ type: "asked", approval: { id: second.id } });
    await again.end();
  });

  it("refuses a number that no change can have with invalid_options", async () => {
    for (const after of [Number.NaN, -1, 1.5]) {
      const changes = program.approvals.watch({ after })[Symbol.asyncIterator]();
      await expect(changes.next()).rejects.toMatchObject({ issues: [{ path: "after" }] });
    }
  });

  it("tells only the changes of the tenant", async () => {
    const [mine, other] = [
      await world.claim(program, { tenant: "mine" }),
      await world.claim(program, { tenant: "other" }),
    ];
    await program.desk.open(other, toolQuestion(other), {});
    const reader = read(program.approvals.watch({ tenant: "mine" }));
    await program.desk.open(other, toolQuestion(other), {});
    const { id } = await program.desk.open(mine, toolQuestion(mine), {});
    expect(await reader.next()).toMatchObject({ type: "asked", approval: { id } });
    await reader.end();
  });

  it("tells that a question has expired, at its time", async () => {
    const claim = await world.claim(program, { tenant: "expiring" });
    const reader = read(program.approvals.watch({ tenant: "expiring" }));
    const expiresAt = new Date(Date.now() + 200);
    const { id } = await program.desk.open(claim, toolQuestion(claim), { expiresAt });
    expect(await reader.next()).toMatchObject({ type: "asked", approval: { id } });
    expect(await reader.next()).toMatchObject({
      type: "expired",
      id,
      record: { code: "approval_expired" },
    });
    await reader.end();
  });

  it("misses nothing when its connections are cut while others ask and answer", async () => {
    const claim = await world.claim(program, { tenant: "cut" });
    const watcher = await world.program();
    const reader = read(watcher.approvals.watch({ tenant: "cut" }));
    const open = await program.desk.open(claim, toolQuestion(claim), {});
    expect(await reader.next()).toMatchObject({ approval: { id: open.id } });
    await world.cutConnections();
    const ids: string[] = [];
    while (ids.length < 5) {
      const asked = program.desk.open(claim, toolQuestion(claim), {});
      const id = await asked.then(
        (question) => question.id,
        () => undefined,
      );
      if (id !== undefined) ids.push(id);
      if (ids.length === 3 && id !== undefined) await world.cutConnections();
    }
    for (const id of ids) expect(await reader.next()).toMatchObject({ approval: { id } });
    await reader.end();
  });

  it("numbers changes in the order of their commits: a reader sees each number once, whoever writes", async () => {
    const programs = await Promise.all([1, 2, 3].map(() => world.program()));
    const reader = read((programs[0] ?? program).approvals.watch({ after: await clock() }));
    const writers = programs.map(async ({ desk, approvals }) => {
      for (let round = 0; round < 10; round += 1) {
        const claim = await world.claim(program, { tenant: "busy" });
        const opened = await Promise.all(
          [1, 2].map(() => desk.open(claim, toolQuestion(claim), {})),
        );
        await Promise.all(opened.map(({ id }) => approvals.answer(id, ALLOW)));
      }
    });
    const seen: FleetApprovalChange[] = [];
    while (seen.length < programs.length * 10 * 4) seen.push(await reader.next());
    await Promise.all(writers);
    const first = seen[0]?.seq ?? 0;
    expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, place) => first + place));
    await reader.end();
  });

  it("ends when the signal aborts, when the reader stops, and when the database is closed", async () => {
    const other = await world.program();
    const claim = await world.claim(program, { tenant: "ended" });
    await program.desk.open(claim, toolQuestion(claim), {});
    const controller = new AbortController();
    const tenant = "ended";
    const iterators = [
      other.approvals.watch({ tenant, signal: controller.signal }),
      other.approvals.watch({ tenant }),
      other.approvals.watch({ tenant }),
    ].map((changes) => changes[Symbol.asyncIterator]());
    for (const iterator of iterators) await iterator.next();
    const [byAbort, byReturn, byClose] = iterators.map((iterator) => iterator.next());
    controller.abort();
    expect(await byAbort).toEqual({ done: true, value: undefined });
    await iterators[1]?.return?.();
    expect(await byReturn).toEqual({ done: true, value: undefined });
    await other[Symbol.asyncDispose]();
    expect(await byClose).toEqual({ done: true, value: undefined });
    const aborted = program.approvals.watch({ tenant, signal: AbortSignal.abort() });
    await expect(aborted[Symbol.asyncIterator]().next()).resolves.toMatchObject({ done: true });
  });
});

function read(changes: AsyncIterable<FleetApprovalChange>) {
  const iterator = changes[Symbol.asyncIterator]();
  return {
    next: async (): Promise<FleetApprovalChange> => {
      const { done, value } = await iterator.next();
      if (done) throw new Error("The iteration has ended.");
      return value;
    },
    end: () => iterator.return?.(),
  };
}

async function clock(): Promise<number> {
  const { schema } = program.database;
  const [row] = await program.rows<{ seq: string }>(`select seq from ${schema}.approval_clock`);
  return Number(row?.seq);
}
