import { isHawserError } from "hawser";
import { describe, expect, it } from "vitest";
import { checkConfig } from "../../src/config/check-config.js";

describe("checkConfig()", () => {
  it("returns a configuration that uses every setting", () => {
    const config = {
      listen: { host: "127.0.0.1", port: 0, maxConnections: 5, headersTimeoutMs: 1000 },
      models: { "gpt-5": "sonnet", helper: "agent:helper" },
      agents: {
        helper: { description: "Helps.", cwd: "/srv", allowedTools: ["Read"] },
        far: { runOn: "fleet", profile: "large", queue: "night", maxTurns: 5 },
      },
      fleet: { databaseEnv: "HAWSER_DATABASE" },
      tenants: {
        alice: {
          keys: ["a".repeat(64)],
          models: ["claude-*"],
          agents: ["helper"],
          requestsPerMinute: 5,
          tokensPerMinute: 1000,
          usdPerDay: 0.5,
          concurrency: 2,
          apiKeyEnv: "ALICE",
          configDir: "./alice",
          cwd: ".",
          isolation: "process",
          admin: true,
          readOnly: false,
        },
      },
      pool: { size: { min: 0, max: 2 }, isolation: "auto" },
      fetchUrls: false,
      countTokens: true,
      hostedTools: "ignore",
      strict: true,
      bodyLimit: 1024,
      allowedHosts: ["gateway.example.org"],
      allowedOrigins: ["https://app.example.org"],
      log: "off",
      heartbeatMs: 1000,
      drainMs: 1000,
      keysFile: "keys.json",
      stateDir: "state",
    };
    expect(checkConfig(config, "x.json")).toEqual(config);
  });

  it.each([
    [
      "an unknown setting",
      { bodylimit: 1 },
      "bodylimit: is not a setting; did you mean bodyLimit?",
    ],
    [
      "an unknown setting of a tenant",
      { tenants: { alice: { requestPerMinute: 1 } } },
      "tenants.alice.requestPerMinute: is not a setting; did you mean requestsPerMinute?",
    ],
    [
      "a setting that is like no other",
      { pool: { size: { banana: 1 } } },
      "pool.size.banana: is not a setting; known are min, max",
    ],
    ["a text for a number", { listen: { port: "80" } }, "listen.port: must be a number"],
    [
      "a number that is too large",
      { listen: { port: 70_000 } },
      "listen.port: must be at most 65535",
    ],
    [
      "a limit of zero",
      { tenants: { a: { concurrency: 0 } } },
      "tenants.a.concurrency: must be greater than 0",
    ],
    [
      "a part of a request",
      { tenants: { a: { requestsPerMinute: 1.5 } } },
      "tenants.a.requestsPerMinute: must be a whole number",
    ],
    [
      "a key in place of its hash",
      { tenants: { a: { keys: ["hwk_x"] } } },
      "tenants.a.keys[0]: is not a SHA-256 hash",
    ],
    ["a tenant's name with a quote", { tenants: { 'a"': {} } }, "a tenant's name has"],
    [
      "another isolation",
      { pool: { isolation: "none" } },
      'pool.isolation: must be "auto" or "process" or "conversation"',
    ],
    [
      "an origin with a path",
      { allowedOrigins: ["https://a.example/x"] },
      "allowedOrigins[0]: is not an origin",
    ],
    [
      "a host with a port",
      { allowedHosts: ["a.example:80"] },
      "allowedHosts[0]: is not the name of a host",
    ],
    [
      "two credentials",
      { tenants: { a: { apiKey: "k", apiKeyEnv: "K" } } },
      "tenants.a.apiKey: contradicts apiKeyEnv",
    ],
    [
      "an agent that does not exist",
      { agents: { help: {} }, models: { x: "agent:helpp" } },
      'models.x: there is no agent "helpp"; did you mean help?',
    ],
    [
      "a tenant's agent that does not exist",
      { tenants: { a: { agents: ["b"] } } },
      'tenants.a.agents[0]: there is no agent "b"; add it to agents',
    ],
    [
      "an unknown option of an agent",
      { agents: { a: { allowedTool: ["Read"] } } },
      "agents.a.allowedTool",
    ],
    [
      "an unknown place of an agent",
      { agents: { a: { runOn: "moon" } } },
      "agents.a.runOn: must be",
    ],
    [
      "two databases",
      { fleet: { database: "x", databaseEnv: "Y" } },
      "fleet.database: contradicts databaseEnv; keep one of them",
    ],
    ["a wrong option of an agent", { agents: { a: { maxTurns: "many" } } }, "agents.a.maxTurns"],
    ["no object", [], "(configuration): must be an object"],
  ])("names the place and what to do: %s", (_, config, text) => {
    const error = errorOf(() => checkConfig(config, "x.json"));
    expect(isHawserError(error, "invalid_options")).toBe(true);
    expect((error as Error).message).toContain("x.json is not valid:");
    expect((error as Error).message).toContain(text);
  });

  it("reports all problems at once, without the values", () => {
    const config = { tenants: { a: { apiKey: 5, keys: ["secret-1"] } }, strict: "secret-2" };
    const error = errorOf(() => checkConfig(config, "x.json"));
    expect((error as Error).message.match(/^ {2}/gm)).toHaveLength(3);
    expect(JSON.stringify(error)).not.toContain("secret-");
  });
});

function errorOf(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}
