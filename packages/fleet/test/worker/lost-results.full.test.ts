import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { toolUse } from "hawser/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WorkerWorld } from "./worker-world.helper.js";

let world: WorkerWorld;
beforeAll(async () => {
  world = await WorkerWorld.create();
});
afterAll(() => world[Symbol.asyncDispose]());

describe.concurrent("after the death of a CLI", () => {
  it("a call that ended, and whose result is lost, is named to the model and in the outcome", async () => {
    const file = `/tmp/${crypto.randomUUID()}`;
    /** Kills the CLI when the worker knows that the call has ended, and before the CLI stores the result. */
    const kill = async ({ tool_use_id }: { readonly tool_use_id: string }) => {
      if (!existsSync(file)) return {};
      const done = "select 1 as one from hawser.intent where tool_use_id = $1 and done";
      while ((await world.rows(done, [tool_use_id])).length === 0) await sleep(20);
      process.kill(Number(readFileSync(file, "utf8")), "SIGKILL");
      return await new Promise<never>(() => {});
    };
    await world.work(
      { labels: ["lost"] },
      { allowedTools: ["Bash"], hooks: { PostToolUse: [{ hooks: [kill] }] } },
    );
    const prompts: string[] = [];
    const name = world.agent(({ prompt }) => {
      prompts.push(prompt);
      if (prompts.length > 1) return "Done.";
      return toolUse("Bash", { command: `echo $PPID > ${file}`, description: "write" });
    });
    const run = await world.fleet.submit(`${name} Go.`, { queue: "lost" });
    const { uncertainTools, segments } = await run.result();
    expect(segments).toBe(2);
    expect(uncertainTools).toMatchObject([{ tool: "Bash", segment: 1, done: false }]);
    expect(prompts.at(-1)).toContain("nobody knows whether they took effect");
    expect(prompts.at(-1)).toContain(file);
  });

  it("the calls of a sub-agent that has reported are known", async () => {
    await world.work({ labels: ["agents"] }, { allowedTools: ["Bash", "Agent"] });
    const name = world.agent(({ call, results, prompt }) => {
      const [first] = (call.body as { messages: unknown[] }).messages;
      const isSubAgent = JSON.stringify(first).includes("SUB TASK");
      if (isSubAgent) {
        if (results.length > 0) return "I have looked.";
        return toolUse("Bash", { command: "echo looked", description: "look" });
      }
      if (prompt.includes("Continue where it stopped")) return "Done.";
      if (results.length > 0) {
        // The CLI writes its transcript a moment after the result.
        return toolUse("Bash", { command: "sleep 3; kill -9 $PPID", description: "crash" });
      }
      const input = {
        description: "look",
        prompt: `${name} SUB TASK`,
        subagent_type: "general-purpose",
      };
      return toolUse("Agent", { ...input, run_in_background: false });
    });
    const run = await world.fleet.submit(`${name} Go.`, { queue: "agents" });
    const { uncertainTools, segments } = await run.result();
    expect(segments).toBe(2);
    const commands = uncertainTools.map(({ input }) => input["description"]);
    expect(commands).toEqual(["crash"]);
    const [{ count } = { count: 0 }] = await world.rows<{ count: number }>(
      "select count(*)::int as count from hawser.intent where run_id = $1 and done",
      [run.id],
    );
    // The sub-agent and its own call.
    expect(count).toBe(2);
  });
});
