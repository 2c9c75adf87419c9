// What in-process servers, sub-agents and background work promise.
import assert from "node:assert/strict";
import { createSdkMcpServer, tool } from "hawser";
import { toolUse } from "hawser/testing";
import { until } from "../place.js";

/** @type {readonly import("../outcome.js").Check[]} */
export const tools = [
  {
    id: "mcp",
    group: "Tools",
    title: "a tool of this program gets its input, and its result reaches the model",
    async run(place) {
      const server = counting();
      const { calls, options } = await place.world([
        toolUse("mcp__knots__tie", { count: 3 }),
        "done",
      ]);
      const session = await place.session({
        ...options,
        mcpServers: { knots: server.config },
        allowedTools: ["mcp__knots__tie"],
      });
      assert.equal(await session.send("tie").text(), "done");
      assert.deepEqual(server.counts, [3]);
      assert.equal(calls().at(-1)?.toolResults[0]?.text, "tied 3");
    },
  },
  {
    id: "mcp-denied",
    group: "Tools",
    title: "`canUseTool` and hooks guard the tools of this program",
    isGuard: true,
    async run(place) {
      /** @type {import("hawser").SessionOptions} */
      const byCallback = { canUseTool: () => ({ behavior: "deny", message: "no" }) };
      const byHook = {
        allowedTools: ["mcp__knots__tie"],
        hooks: { PreToolUse: [{ matcher: "mcp__knots__tie", hooks: [denyAll] }] },
      };
      for (const guard of [byCallback, byHook]) {
        const server = counting();
        const { calls, options } = await place.world([
          toolUse("mcp__knots__tie", { count: 3 }),
          "done",
        ]);
        const session = await place.session({
          ...options,
          ...guard,
          mcpServers: { knots: server.config },
        });
        await session.send("tie").result;
        assert.deepEqual(server.counts, [], "the tool ran");
        assert.equal(calls().at(-1)?.toolResults[0]?.isError, true);
      }
    },
  },
  {
    id: "mcp-failed",
    group: "Tools",
    title: "`requireMcp` refuses a session whose server does not start (`mcp_failed`)",
    async run(place) {
      const { options } = await place.world(["done"]);
      const mcpServers = { broken: { command: "false" } };
      const start = place.session({ ...options, mcpServers, requireMcp: true });
      await assert.rejects(start, { code: "mcp_failed" });
    },
  },
  {
    id: "agents",
    group: "Tools",
    title: "a sub-agent runs with its own prompt, and its answer reaches the model",
    async run(place) {
      const { calls, options } = await place.world((request) => {
        if (request.system.includes("You know knots.")) return "sheet-bend";
        return request.toolResults.length > 0 ? "done" : subAgent(request, "knots", "SUBWORK");
      });
      const session = await place.session({
        ...options,
        agents: { knots: { description: "Knows knots.", prompt: "You know knots." } },
      });
      assert.equal(await session.send("ask the agent").text(), "done");
      const subagent = calls().find(({ system }) => system.includes("You know knots."));
      assert.match(subagent?.prompt ?? "", /SUBWORK/);
      assert.match(calls().at(-1)?.toolResults[0]?.text ?? "", /sheet-bend/);
    },
  },
  {
    id: "agents-guarded",
    group: "Tools",
    title: "hooks, policy and `canUseTool` guard the calls of a sub-agent",
    isGuard: true,
    async run(place) {
      const agent = ["Agent", "Task"];
      const guards = {
        hook: {
          allowedTools: [...agent, "Bash"],
          hooks: { PreToolUse: [{ matcher: "Bash", hooks: [denyAll] }] },
        },
        policy: {
          allowedTools: [...agent, "Bash"],
          rules: [
            { tool: "Bash", decision: "deny" },
            { tool: "*", decision: "allow" },
          ],
        },
        callback: {
          allowedTools: agent,
          canUseTool: () => ({ behavior: "deny", message: "no" }),
        },
      };
      for (const [name, guard] of Object.entries(guards)) {
        const command = `sh -c 'touch ${name}'`;
        const { calls, options, made } = await place.world((request) => {
          const isDone = request.toolResults.length > 0;
          if (request.system.includes("You know knots.")) {
            return isDone ? "tried" : toolUse("Bash", { command, description: "d" });
          }
          return isDone ? "done" : subAgent(request, "knots", "SUBWORK");
        });
        const session = await place.session(
          /** @type {import("hawser").SessionOptions} */ ({
            ...options,
            ...guard,
            agents: { knots: { description: "Knows knots.", prompt: "You know knots." } },
          }),
        );
        await session.send("ask the agent").result;
        assert.equal(made(name), false, `a sub-agent's command ran in spite of the ${name}`);
        const tried = calls().find(
          ({ system, toolResults }) => system.includes("You know knots.") && toolResults.length > 0,
        );
        assert.equal(tried?.toolResults[0]?.isError, true, "the sub-agent did not try");
      }
    },
  },
  {
    id: "background",
    group: "Tools",
    title: "`session.idle()` waits for a command in the background",
    async run(place) {
      const command = "while [ ! -e go ]; do sleep 0.05; done; touch finished";
      const { options, made, write } = await place.world(({ toolResults, prompt }) =>
        prompt.includes("start") && toolResults.length === 0
          ? toolUse("Bash", { command, description: "d", run_in_background: true })
          : "started",
      );
      const session = await place.session({ ...options, allowedTools: ["Bash"] });
      await session.send("start it").result;
      assert.equal(made("finished"), false);
      let isIdle = false;
      const idle = session.idle().then(() => {
        isIdle = true;
      });
      await new Promise((resolve) => setTimeout(resolve, 500));
      const early = isIdle;
      write("go", "");
      await until(() => made("finished"));
      await idle;
      return early ? "`idle()` does not know of the command" : undefined;
    },
  },
];

/** @type {import("hawser").HookCallback<"PreToolUse">} */
const denyAll = () => ({
  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" },
});

/** A server with one tool that notes its inputs. */
function counting() {
  /** @type {number[]} */
  const counts = [];
  const inputSchema = { type: "object", properties: { count: { type: "number" } } };
  const tie = tool("tie", "Ties knots.", /** @type {any} */ (inputSchema), async (input) => {
    const { count } = /** @type {{ count: number }} */ (input);
    counts.push(count);
    return { content: [{ type: "text", text: `tied ${count}` }] };
  });
  return { counts, config: createSdkMcpServer({ name: "knots", tools: [tie], alwaysLoad: true }) };
}

/**
 * A call of the tool that starts a sub-agent, by the name that this CLI has for it.
 * @param {import("hawser/testing").RecordedRequest} request
 * @param {string} agent
 * @param {string} prompt
 */
function subAgent(request, agent, prompt) {
  const name = request.tools.includes("Agent") ? "Agent" : "Task";
  // A newer CLI would let the sub-agent run in the background.
  const input = { description: "d", prompt, subagent_type: agent, run_in_background: false };
  return toolUse(name, input);
}
