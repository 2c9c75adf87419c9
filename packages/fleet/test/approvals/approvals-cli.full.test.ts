import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toolUse } from "hawser/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FleetApproval } from "../../src/approvals/fleet-approvals.js";
import type { Run } from "../../src/runs/run.js";
import { WorkerWorld } from "../worker/worker-world.helper.js";

/** A server with a tool that asks the user for a name. */
const SERVER = `
import { createInterface } from "node:readline";
const tools = [{ name: "ask", inputSchema: { type: "object" }, _meta: { "anthropic/alwaysLoad": true } }];
const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
let asking;
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result } = JSON.parse(line);
  if (method === "initialize") {
    const { protocolVersion } = params;
    const serverInfo = { name: "crm", version: "1.0.0" };
    send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
  } else if (method === "tools/list") send({ id, result: { tools } });
  else if (method === "tools/call") {
    asking = id;
    send({ id: "q", method: "elicitation/create", params: { message: "Who?", requestedSchema } });
  } else if (id === "q") {
    send({ id: asking, result: { content: [{ type: "text", text: JSON.stringify(result) }] } });
  } else if (id !== undefined) send({ id, error: { code: -32601, message: "no such method" } });
}
`;

let world: WorkerWorld;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "hawser-fleet-approvals-"));
  writeFileSync(join(folder, "server.mjs"), SERVER);
  const crm = { command: process.execPath, args: [join(folder, "server.mjs")] };
  world = await WorkerWorld.create();
  await world.work({ holdMs: 600_000, labels: ["first"], name: "first" });
  await world.work({ holdMs: 600_000, labels: ["second"], name: "second" });
  await world.work(
    { holdMs: 0, labels: ["planning"], name: "planning" },
    { permissionMode: "plan" },
  );
  await world.work(
    { holdMs: 0, labels: ["serving"], name: "serving" },
    { mcpServers: { crm }, requireMcp: true, allowedTools: ["mcp__crm__ask"] },
  );
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

describe("approvals of runs on the real CLI", { timeout: 120_000 }, () => {
  it('are given once with scope: "session", for later runs on other hosts as well', async () => {
    const name = world.agent(({ results, prompt }) =>
      prompt.includes("Go") && results.length < Number(/Go (\d)/.exec(prompt)?.[1])
        ? toolUse("Bash", { command: "touch made; ls", description: `call ${results.length}` })
        : `Results: ${results.join(", ")}`,
    );
    const first = await world.fleet.submit(`${name} Go 1.`, { queue: "first" });
    const asked = await questionOf(first);
    await world.fleet.approvals.answer(
      asked.id,
      { behavior: "allow", scope: "session" },
      { by: "ada" },
    );
    const { sessionId, text } = await first.result();
    expect(text).toBe("Results: made");

    const second = await world.fleet.submit(`${name} Go 2.`, {
      queue: "second",
      session: sessionId,
    });
    expect((await second.result()).text).toBe("Results: made, made");
    const records = await world.fleet.approvals.records({ run: second.id });
    expect(records.map(({ outcome, grantedBy, by }) => ({ outcome, grantedBy, by }))).toEqual([
      { outcome: "granted", grantedBy: asked.id, by: "ada" },
    ]);
  });

  it("carry out a plan that waited for its approval without a process", async () => {
    const name = world.agent(({ call, results }) => {
      // The CLI takes the plan from the file that it has named to the model.
      const [file_path] = PLAN_FILE.exec(JSON.stringify(call.body)) ?? [];
      if (results.length === 0)
        return toolUse("Write", { file_path, content: "1. Paint the ship." });
      return results.length === 1 ? toolUse("ExitPlanMode", {}) : `Plan: ${results.at(-1)}`;
    });
    const run = await world.fleet.submit(`${name} Plan.`, { queue: "planning" });
    const asked = await questionOf(run);
    expect(asked).toMatchObject({ kind: "plan", plan: "1. Paint the ship." });
    await expect.poll(async () => (await run.info()).state, { timeout: 60_000 }).toBe("waiting");
    await world.fleet.approvals.answer(asked.id, { behavior: "allow" });
    const outcome = await run.result();
    expect(outcome).toMatchObject({ segments: 2 });
    expect(outcome.text).toMatch(/^Plan: .*approved/s);
  });

  it("answer the question of an MCP server, whose process is held", async () => {
    const name = world.agent(({ results }) =>
      results.length === 0 ? toolUse("mcp__crm__ask", {}) : `Answer: ${results.at(-1)}`,
    );
    const run = await world.fleet.submit(`${name} Ask.`, { queue: "serving" });
    const asked = await questionOf(run);
    expect(asked).toMatchObject({ kind: "elicitation", server: "crm", message: "Who?" });
    expect((await run.info()).state).toBe("running");
    await world.fleet.approvals.answer(asked.id, { behavior: "accept", content: { name: "Ada" } });
    expect((await run.result()).text).toContain("Ada");
  });
});

const PLAN_FILE = /\/[^\s"`]*\/plans\/[^\s"`]*\.md/;

async function questionOf(run: Run): Promise<FleetApproval> {
  for await (const change of world.fleet.approvals.watch()) {
    if (change.type === "asked" && change.approval.run === run.id) return change.approval;
  }
  throw new Error("The approvals have ended.");
}
