import { describeCall } from "hawser";
import { expect, it } from "vitest";
import { createApprovalDesk } from "../../src/approvals/create-approval-desk.js";
import { createFleetApprovals } from "../../src/approvals/create-fleet-approvals.js";
import { createConversation } from "../../src/conversations/create-conversation.js";
import { maintainConversations } from "../../src/conversations/maintain-conversations.js";
import { openDatabase } from "../../src/database/open-database.js";
import { openEngine } from "../../src/engine/open-engine.js";
import { createClaims } from "../../src/runs/create-claims.js";
import type { RunParts } from "../../src/runs/create-run.js";
import { RunWatch } from "../../src/runs/run-watch.js";
import { doneWith } from "../support/run-world.js";

it("conversations and approvals work in a database in memory", async () => {
  const database = await openDatabase(":memory:");
  const engine = await openEngine(database);
  const watch = new RunWatch(database);
  const parts: RunParts = { database, engine, leaseMs: 10_000, logger: undefined, watch };
  const claims = createClaims(parts);
  try {
    const chat = createConversation(parts, { channel: "terminal", user: "ada" }, { idleMs: 1 });
    await chat.send("Deploy the 天気 page.");
    const claim = await claims.claim({ host: "a", queues: ["default"] });
    if (claim === undefined) throw new Error("There is nothing to claim.");

    const approvals = createFleetApprovals(parts);
    const changes = approvals.watch({ tenant: "ada" })[Symbol.asyncIterator]();
    const { signal } = new AbortController();
    const context = { signal, toolUseID: "toolu_1", requestId: "1" };
    const frame = { id: "1", askedAt: new Date().toISOString() };
    const call = describeCall("Bash", { command: "deploy" }, context, frame);
    const question = await createApprovalDesk(parts).open(claim, call, {});
    const waiting = question.wait(60_000, signal);
    expect((await changes.next()).value).toMatchObject({ type: "asked", seq: 1 });
    expect(await approvals.answer(question.id, { behavior: "allow" })).toBe("counted");
    expect(await approvals.answer(question.id, { behavior: "allow" })).toBe("too_late");
    expect(await waiting).toEqual({ behavior: "allow" });
    expect((await changes.next()).value).toMatchObject({ type: "answered", seq: 2 });
    await changes.return?.();

    await claims.settle(claim, doneWith("Deployed."));
    expect(await chat.search("天気 DEPL")).toMatchObject([{ role: "user" }]);
    expect((await chat.history()).map(({ text }) => text)).toEqual([
      "Deploy the 天気 page.",
      "Deployed.",
    ]);
    await maintainConversations(parts);
    const summary = await claims.claim({ host: "a", queues: ["default"] });
    expect(summary?.run.metadata).toMatchObject({ purpose: "summary" });
  } finally {
    await watch.close();
    await engine.close();
    await database.close();
  }
}, 180_000);
