import { describe, expect, it } from "vitest";
import { PARENT_ID, SCENARIOS, TRACE_ID } from "./scenarios.helper.js";
import { metricLines } from "./support/metric-lines.js";
import { otelWorld } from "./support/otel-world.js";
import { spanTree } from "./support/span-tree.js";

const world = otelWorld();

/** `npx vitest run packages/otel/test/golden-trees.full.test.ts -u` writes the files anew. */
describe("instrument()", () => {
  it.each(Object.entries(SCENARIOS))(
    "makes the spans and metrics of the golden file: %s",
    async (name, run) => {
      await run(world, world.instrument());
      const text = `${spanTree(world.spans)}\n${metricLines(await world.metrics())}`;
      await expect(text).toMatchFileSnapshot(`./golden/${name}.golden.txt`);
      for (const span of world.spans) expect(span.ended).toBe(true);
      if (name !== "gateway") return;
      const [request] = world.spans.filter((span) => span.name === "POST /v1/messages");
      expect(request?.parentSpanContext).toMatchObject({ traceId: TRACE_ID, spanId: PARENT_ID });
      expect(request?.spanContext().traceState?.get("sea")).toBe("calm");
      const calls = world.spans.filter((span) => /^(invoke_agent|chat)/.test(span.name));
      expect(calls.map((span) => span.spanContext().traceId)).toEqual([TRACE_ID, TRACE_ID]);
    },
  );
});
