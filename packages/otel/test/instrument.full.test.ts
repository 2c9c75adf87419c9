import { context, DiagLogLevel, diag, metrics, trace } from "@opentelemetry/api";
import {
  CHANNELS,
  complete,
  createApprovals,
  createPool,
  createSdkMcpServer,
  HawserError,
  openSession,
  type ProcessEvent,
  tool,
} from "hawser";
import { always, apiError, hang, reply, toolUse } from "hawser/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { instrument } from "../src/index.js";
import { rememberedThings } from "../src/instrument.js";
import { otelWorld } from "./support/otel-world.js";
import { childrenOf } from "./support/span-tree.js";

const world = otelWorld();

describe("instrument()", () => {
  it("uses the global providers, also if they are set later", async () => {
    const stop = instrument();
    onTestFinished(stop);
    const { tracerProvider, meterProvider, stop: stopOther } = world.instrument();
    stopOther();
    trace.setGlobalTracerProvider(tracerProvider);
    metrics.setGlobalMeterProvider(meterProvider);
    onTestFinished(() => {
      trace.disable();
      metrics.disable();
    });
    world.script("A bowline.");
    await complete("Name a knot.", world.options);
    expect(world.spans.map(({ name }) => name)).toContain("invoke_agent");
    const names = (await world.metrics()).map(({ name }) => name);
    expect(names).toContain("hawser.calls");
    expect(names).toContain("hawser.approvals.pending");
  });

  it("makes each span once if it is called twice, and stops with the last function", async () => {
    const { tracerProvider, meterProvider, stop } = world.instrument();
    const stopSecond = instrument({ tracerProvider, meterProvider });
    world.script("A bowline.", "A sheet bend.", "A clove hitch.");
    const pool = createPool({ size: { min: 0, max: 1 } });
    onTestFinished(() => pool.close());
    await pool.complete("Name a knot.", world.options);
    expect(world.spans).toHaveLength(2);
    stop();
    stop();
    await pool.complete("Name a knot.", world.options);
    expect(world.spans).toHaveLength(4);
    stopSecond();
    await pool.complete("Name a knot.", world.options);
    expect(world.spans).toHaveLength(4);
    expect(CHANNELS.callStart.hasSubscribers).toBe(false);
    expect(CHANNELS.toolStart.hasSubscribers).toBe(false);
  });

  it("ends the spans that are open when it is stopped", async () => {
    const { stop } = world.instrument();
    world.script(hang());
    const controller = new AbortController();
    const asked = world.model.waitFor(({ kind }) => kind === "call");
    const answer = complete("Name a knot.", { ...world.options, signal: controller.signal });
    answer.catch(() => {});
    await asked;
    stop();
    expect(world.spans.map(({ name, attributes }) => [name, attributes["hawser.outcome"]])).toEqual(
      [["invoke_agent", "lost"]],
    );
    controller.abort();
    await expect(answer).rejects.toMatchObject({ code: "aborted" });
    expect(world.spans).toHaveLength(1);
  });

  it("shows the next turn of a session that an earlier subscriber saw begin", async () => {
    const { stop } = world.instrument();
    world.script("A bowline.", "A sheet bend.");
    const session = await openSession(world.options);
    await session.send("Name a knot.").text();
    stop();
    world.instrument();
    await session.send("Name another knot.").text();
    await session.close();
    expect(world.spans.map(({ name }) => name.split(" ")[0])).toEqual(["chat", "invoke_agent"]);
    expect(rememberedThings()).toBe(0);
  });

  it("keeps nothing when all is over", async () => {
    world.instrument();
    world.script("A bowline.", toolUse("Bash", { command: "echo knot" }), hang());
    await complete("Name a knot.", world.options);
    const session = await openSession({ ...world.options, allowedTools: ["Bash"] });
    const turn = session.send("Name a knot.");
    turn.result.catch(() => {});
    await world.model.waitFor(({ kind, toolResults }) => kind === "call" && toolResults.length > 0);
    expect(rememberedThings()).toBeGreaterThan(0);
    await session.kill();
    await expect(turn.result).rejects.toBeInstanceOf(HawserError);
    expect(rememberedThings()).toBe(0);
    const [run] = world.spans.filter(({ name }) => name === "invoke_agent").slice(-1);
    expect(run?.attributes["error.type"]).toBe("closed");
  });

  it("ends the oldest spans beyond maxOpenSpans, so that memory stays bounded", () => {
    world.instrument({ maxOpenSpans: 10 });
    for (let call = 1; call <= 1000; call += 1) {
      CHANNELS.callStart.publish({
        ...{ at: performance.timeOrigin + performance.now(), call: -call, caller: "complete()" },
        ...{ tenant: undefined, prompt: "Name a knot." },
        ...{ model: undefined, agent: undefined, systemPrompt: undefined, output: "text" },
      });
    }
    expect(rememberedThings()).toBe(20);
    expect(world.spans).toHaveLength(990);
    expect(world.spans[0]?.attributes["hawser.outcome"]).toBe("lost");
  });

  it("never breaks a call by a fault of a provider, and reports the fault to diag", async () => {
    const errors = vi.fn();
    const silent = () => {};
    diag.setLogger(
      { error: errors, warn: silent, info: silent, debug: silent, verbose: silent },
      DiagLogLevel.ERROR,
    );
    onTestFinished(() => diag.disable());
    const uncaught = vi.fn();
    process.on("uncaughtException", uncaught);
    onTestFinished(() => void process.off("uncaughtException", uncaught));
    const broken = {
      startSpan: () => {
        throw new Error("The exporter is broken.");
      },
      startActiveSpan: () => {
        throw new Error("The exporter is broken.");
      },
    };
    const stop = instrument({ tracerProvider: { getTracer: () => broken } });
    onTestFinished(stop);
    world.script("A bowline.");
    const { text } = await complete("Name a knot.", world.options);
    expect(text).toBe("A bowline.");
    await new Promise((resolve) => setImmediate(resolve));
    expect(uncaught).not.toHaveBeenCalled();
    expect(errors.mock.calls.flat().join(" ")).toContain("The exporter is broken.");
  });

  it("gives the error code to the span and the metrics of a call that fails", async () => {
    world.instrument();
    world.script(always(apiError(401)));
    await expect(complete("Name a knot.", world.options)).rejects.toMatchObject({ code: "auth" });
    const [run] = world.spans;
    expect(run?.attributes["error.type"]).toBe("auth");
    expect(run?.status.code).toBe(2);
    expect(run?.status.message).toBeTypeOf("string");
    const failed = (await world.metrics()).filter(({ attributes }) => "error.type" in attributes);
    expect(failed.map(({ name }) => name).sort()).toEqual([
      "gen_ai.invoke_agent.duration",
      "hawser.calls",
    ]);
    expect(failed.every(({ attributes }) => attributes["error.type"] === "auth")).toBe(true);
  });

  it("counts the approvals that wait", async () => {
    world.instrument();
    world.script(toolUse("Bash", { command: "touch knot" }), "Done.");
    const approvals = createApprovals();
    onTestFinished(() => approvals.close());
    const { canUseTool } = approvals;
    const pending = async () => {
      const points = await world.metrics();
      return points.find(
        ({ name, attributes }) =>
          name === "hawser.approvals.pending" && attributes["hawser.approval.kind"] === "tool",
      )?.value;
    };
    const session = await openSession({ ...world.options, canUseTool });
    const turn = session.send("Make a knot.");
    for await (const change of approvals) {
      if (change.type !== "asked") continue;
      expect(await pending()).toBe(1);
      await approvals.answer(change.approval.id, { behavior: "allow" });
      break;
    }
    await turn.text();
    expect(await pending()).toBe(0);
    const [tool] = world.spans.filter(({ name }) => name === "execute_tool Bash");
    const [event] = tool?.events ?? [];
    expect(event?.name).toBe("hawser.permission");
    expect(event?.attributes?.["hawser.permission.decision"]).toBe("allow");
    expect(event?.attributes?.["hawser.permission.wait_ms"]).toBeGreaterThan(0);
    await session.close();
  });

  it("runs canUseTool and hooks inside the span of their tool call, and keeps the rest of the context", async () => {
    const { tracerProvider } = world.instrument();
    const tracer = tracerProvider.getTracer("user");
    const key = Symbol("of the user");
    world.script(toolUse("Bash", { command: "touch knot" }), "Done.");
    const seen: unknown[] = [];
    const note = (name: string) => {
      seen.push(context.active().getValue(key));
      tracer.startSpan(name).end();
    };
    await context.with(context.active().setValue(key, "kept"), async () => {
      const session = await openSession({
        ...world.options,
        canUseTool: async () => {
          note("decide");
          return { behavior: "allow" };
        },
        hooks: {
          PreToolUse: [
            {
              hooks: [
                async () => {
                  await Promise.resolve();
                  note("hook");
                  return {};
                },
              ],
            },
          ],
        },
      });
      await session.send("Make a knot.").text();
      await session.close();
    });
    const [tool] = world.spans.filter(({ name }) => name === "execute_tool Bash");
    if (tool === undefined) throw new Error("There is no span of the tool.");
    expect(childrenOf(world.spans, tool).map(({ name }) => name)).toEqual(["hook", "decide"]);
    expect(seen).toEqual(["kept", "kept"]);
  });

  it("uses the next names of tokens with OTEL_SEMCONV_STABILITY_OPT_IN", async () => {
    vi.stubEnv("OTEL_SEMCONV_STABILITY_OPT_IN", "gen_ai_latest_experimental");
    onTestFinished(() => void vi.unstubAllEnvs());
    world.instrument();
    world.script(reply("A bowline.", { usage: USAGE }));
    await complete("Name a knot.", world.options);
    const tokens = (await world.metrics()).filter(({ unit }) => unit === "{token}");
    expect(Object.fromEntries(tokens.map(({ name, value, sum }) => [name, value ?? sum]))).toEqual({
      "gen_ai.client.inference.usage.input_tokens": 60,
      "gen_ai.client.inference.usage.output_tokens": 5,
      "gen_ai.client.inference.usage.cache_read.input_tokens": 20,
      "gen_ai.client.inference.usage.cache_write.input_tokens": 30,
      "gen_ai.client.inference.operation.input_tokens": 60,
      "gen_ai.client.inference.operation.output_tokens": 5,
    });
    const [chat] = world.spans;
    expect(chat?.attributes["gen_ai.usage.cache_write.input_tokens"]).toBe(30);
  });

  it("counts the tokens of the cache as input tokens, and shows them apart", async () => {
    world.instrument();
    world.script(reply("A bowline.", { usage: USAGE }));
    await complete("Name a knot.", world.options);
    const shown = {
      "gen_ai.usage.input_tokens": 60,
      "gen_ai.usage.cache_read.input_tokens": 20,
      "gen_ai.usage.cache_creation.input_tokens": 30,
      "gen_ai.usage.output_tokens": 5,
    };
    expect(world.spans.map(({ attributes }) => attributes)).toMatchObject([shown, shown]);
  });
});

describe("the spans of tools", () => {
  it("show no content of an input that has a field subagent_type", async () => {
    world.instrument();
    world.script(toolUse("mcp__ship__tie", { subagent_type: "a secret plan" }), "Done.");
    const shape = { subagent_type: z.string() };
    const tie = tool("tie", "Ties a knot.", shape, async () => ({ content: [] }));
    await complete("Tie it.", {
      ...world.options,
      mcpServers: { ship: createSdkMcpServer({ name: "ship", tools: [tie], alwaysLoad: true }) },
      allowedTools: ["mcp__ship"],
    });
    const names = world.spans.map(({ name }) => name.split(" ")[0]);
    expect(names.sort()).toEqual(["chat", "chat", "execute_tool", "invoke_agent"]);
    expect(JSON.stringify(await world.metrics())).not.toContain("a secret plan");
  });

  it("do not exist for clientTools, because the caller runs them after the call", async () => {
    world.instrument();
    world.script(toolUse("tie", {}));
    const clientTools = [{ name: "tie", description: "Ties.", inputSchema: { type: "object" } }];
    const { stop } = await complete("Tie it.", { ...world.options, clientTools });
    expect(stop).toBe("tool_calls");
    expect(world.spans.map(({ name }) => name.split(" ")[0])).toEqual(["chat", "invoke_agent"]);
    const names = (await world.metrics()).map(({ name }) => name);
    expect(names).not.toContain("gen_ai.execute_tool.duration");
  });
});

describe("the metrics", () => {
  it("have no label for a model that does not exist, because clients of a gateway choose it", async () => {
    world.instrument();
    world.script(always(apiError(404)));
    const options = { ...world.options, model: `claude-invented-${"x".repeat(5000)}` };
    const failed = complete("Name a knot.", options);
    await expect(failed).rejects.toMatchObject({ code: "model_not_found" });
    // The span has it, but cut.
    const { "gen_ai.request.model": model } = world.spans[0]?.attributes ?? {};
    expect(model).toMatch(/^claude-invented-x{1,200}…$/);
    expect(JSON.stringify(await world.metrics())).not.toContain("claude-invented");
  });

  it("forget pools that are over, if there are many", async () => {
    world.instrument();
    const facts = { at: 0, worker: 1, pid: 1, jobs: 0, call: undefined, session: undefined };
    for (let pool = 1; pool <= 500; pool += 1) {
      const event = { ...facts, pool: -pool } as unknown as ProcessEvent;
      CHANNELS.processStart.publish(event);
      // The first pool lives on.
      if (pool > 1) CHANNELS.processDiscarded.publish(event);
    }
    const points = (await world.metrics()).filter(({ name }) => name === "hawser.pool.processes");
    expect(points.length).toBeLessThan(100);
    expect(points.some(({ attributes }) => attributes["hawser.pool"] === -1)).toBe(true);
  });
});

const USAGE = {
  input_tokens: 10,
  cache_read_input_tokens: 20,
  cache_creation_input_tokens: 30,
  output_tokens: 5,
};
