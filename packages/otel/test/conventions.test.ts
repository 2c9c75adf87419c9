import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import {
  ATTRIBUTES,
  conventionsFor,
  LATEST,
  LATEST_TOKEN_METRICS,
  METRICS,
  SEMCONV_VERSION,
  TOKEN_METRICS,
} from "../src/conventions.js";

const required = createRequire(import.meta.url);

/** Metrics that the conventions for generative AI have got since they left the common package. */
const NEWER = ["gen_ai.execute_tool.duration", "gen_ai.invoke_agent.duration"];

describe("the table of names", () => {
  it("has the version of the conventions that is installed", () => {
    const main = required.resolve("@opentelemetry/semantic-conventions");
    const manifest = readFileSync(new URL("../package.json", `file://${main}`), "utf8");
    expect(JSON.parse(manifest).version).toBe(SEMCONV_VERSION);
  });

  it("has only names that the conventions define, or that begin with `hawser.`", async () => {
    const incubating = required("@opentelemetry/semantic-conventions/incubating");
    const defined = new Set(Object.values(incubating));
    const names = [...Object.values(ATTRIBUTES), ...Object.values(METRICS), ...TOKEN_METRICS].map(
      ({ name }) => name,
    );
    const unknown = names.filter((name) => !name.startsWith("hawser.") && !defined.has(name));
    expect(unknown.sort()).toEqual(NEWER);
    expect(new Set(names).size).toBe(names.length);
  });

  it("is that of the next version with OTEL_SEMCONV_STABILITY_OPT_IN", () => {
    const pinned = conventionsFor(undefined);
    expect(conventionsFor("http")).toEqual(pinned);
    expect(pinned.keys.cacheCreationTokens).toBe("gen_ai.usage.cache_creation.input_tokens");
    const latest = conventionsFor(`http, ${LATEST}`);
    expect(latest.keys.cacheCreationTokens).toBe("gen_ai.usage.cache_write.input_tokens");
    expect(latest.keys.operation).toBe(pinned.keys.operation);
    expect(latest.tokenMetrics).toBe(LATEST_TOKEN_METRICS);
  });
});
