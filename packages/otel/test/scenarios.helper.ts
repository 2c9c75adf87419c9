import { complete, createPool, createSdkMcpServer, openSession, query, stream, tool } from "hawser";
import { apiError, toolUse } from "hawser/testing";
import { createGateway } from "../../gateway/src/index.js";
import { MODEL, type OtelWorld, type Telemetry } from "./support/otel-world.js";

/** What one scenario does with Hawser. Each is a golden tree of spans. */
export type Scenario = (world: OtelWorld, telemetry: Telemetry) => Promise<void>;

/** The six ways to use Hawser, each on the real CLI. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  complete: async (world, { tracerProvider }) => {
    world.script(apiError(529), "A bowline.");
    await tracerProvider.getTracer("user").startActiveSpan("answer a customer", async (span) => {
      await complete("Name a knot.", world.options);
      span.end();
    });
  },

  stream: async (world, { tracerProvider }) => {
    world.script(toolUse("mcp__ship__look", { at: "mast" }), "It stands.");
    const tracer = tracerProvider.getTracer("user");
    const look = tool("look", "Looks around.", {}, async () => {
      // The context survives everything that is asynchronous.
      await new Promise((resolve) => setImmediate(resolve));
      tracer.startSpan("ask the crow's nest").end();
      return { content: [{ type: "text", text: "A mast." }] };
    });
    const answer = stream("Look around.", {
      ...world.options,
      mcpServers: { ship: createSdkMcpServer({ name: "ship", tools: [look], alwaysLoad: true }) },
      allowedTools: ["mcp__ship"],
    });
    for await (const _ of answer) {
      // Only the end counts here.
    }
  },

  session: async (world) => {
    const subagent = {
      description: "look",
      prompt: "Look at the mast.",
      subagent_type: "general-purpose",
      run_in_background: false,
    };
    world.script(
      toolUse("Agent", subagent),
      toolUse("Bash", { command: "echo mast" }),
      "The mast stands.",
      [toolUse("Bash", { command: "rm -rf mast" }), toolUse("Read", { file_path: "/nowhere" })],
      "Done.",
      "Aye.",
    );
    const session = await openSession({
      ...world.options,
      allowedTools: ["Agent", "Read"],
      canUseTool: async (_, { command }) => {
        if (command === "echo mast") return { behavior: "allow" };
        return { behavior: "deny", message: "Keep the mast." };
      },
    });
    await session.send("Check the ship.").text();
    await session.send("Thank you.").text();
    await session.close();
  },

  query: async (world, { tracerProvider }) => {
    world.script(toolUse("Bash", { command: "echo bowline" }), "A bowline.");
    const { cliPath = "", cwd, env, model } = world.options;
    await tracerProvider.getTracer("user").startActiveSpan("ask", async (span) => {
      const options = {
        pathToClaudeCodeExecutable: cliPath,
        ...{ cwd, env, model },
        allowedTools: ["Bash"],
      };
      for await (const _ of query({ prompt: "Name a knot.", options })) {
        // Only the end counts here.
      }
      span.end();
    });
  },

  pool: async (world) => {
    world.script("A bowline.", "A sheet bend.", "Aye.");
    const pool = createPool({ size: { min: 0, max: 1 } });
    await pool.complete("Name a knot.", world.options);
    await pool.complete("Name another knot.", { ...world.options, tenant: "acme" });
    const session = await pool.openSession(world.options);
    await session.send("Thank you.").text();
    await session.close();
    await pool.close();
  },

  gateway: async (world) => {
    world.script("A bowline.");
    const pool = createPool({ size: { min: 0, max: 1 } });
    const gateway = createGateway({ pool, options: world.options });
    const response = await gateway.fetch(
      new Request("http://localhost/v1/messages", {
        method: "POST",
        headers: {
          "content-type": "application/json",
          traceparent: `00-${TRACE_ID}-${PARENT_ID}-01`,
          tracestate: "sea=calm",
        },
        body: JSON.stringify({
          model: MODEL,
          max_tokens: 100,
          messages: [{ role: "user", content: "Name a knot." }],
          stream: true,
        }),
      }),
    );
    await response.text();
    await gateway.fetch(new Request("http://localhost/v1/nowhere"));
    await gateway.fetch(new Request("http://localhost/health"));
    await gateway.close();
    await pool.close();
  },
};

export const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
export const PARENT_ID = "00f067aa0ba902b7";
