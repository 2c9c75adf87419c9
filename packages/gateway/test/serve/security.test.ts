import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isolatedEnv, SimulatedModel } from "hawser/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { nativeCli } from "../../../../tools/native-cli.js";
import { jsonExcess } from "../../src/http/json-excess.js";
import { type RunningServer, serve } from "../../src/serve/serve.js";
import { createKey, hashKey } from "../../src/tenants/api-key.js";
import { RawConnection } from "../support/raw-http.js";

const KEYS = { alice: createKey(), poor: createKey(), slow: createKey(), admin: createKey() };
/** Texts that must not be in any log. */
const SECRETS = [
  ...Object.values(KEYS),
  "sk-ant-api03-PLANTED",
  "PLANTED-PROMPT",
  "PLANTED-ANSWER",
  "PLANTED-WRONG-KEY",
];
const BODY_LIMIT = 100_000;

const config = {
  listen: { headersTimeoutMs: 700, requestTimeoutMs: 1500 },
  bodyLimit: BODY_LIMIT,
  allowedHosts: ["gateway.example.org"],
  allowedOrigins: ["https://app.example.org"],
  models: { "gpt-5": "haiku" },
  stateDir: "state",
  pool: { size: { min: 0, max: 1 } },
  tenants: {
    alice: { keys: [hashKey(KEYS.alice)], models: ["haiku", "gpt-5"], tokensPerMinute: 100_000 },
    poor: { keys: [hashKey(KEYS.poor)], usdPerDay: 0.000001, apiKey: "sk-ant-api03-PLANTED" },
    slow: { keys: [hashKey(KEYS.slow)], requestsPerMinute: 1 },
    admin: { keys: [hashKey(KEYS.admin)], admin: true },
  },
};

let server: RunningServer;
let end: () => Promise<void>;
let output = "";

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "hawser-security-"));
  const model = await SimulatedModel.start({ replies: () => "PLANTED-ANSWER" });
  const place = await isolatedEnv({ baseUrl: model.url });
  writeFileSync(join(folder, "hawser.config.json"), JSON.stringify(config));
  const write = (text: string) => {
    output += text;
  };
  server = await serve({
    cwd: folder,
    port: 0,
    options: {
      cliPath: nativeCli("@anthropic-ai/claude-code"),
      cwd: place.cwd,
      env: place.env,
      inheritEnv: false,
    },
    isSimulated: true,
    writeLog: write,
    warn: write,
  });
  end = async () => {
    await server.close();
    await place.dispose();
    await model.close();
    rmSync(folder, { recursive: true });
  };
});
afterAll(() => end());
beforeEach(() => {
  output = "";
});

function call(path: string, init: RequestInit = {}, key: string = KEYS.alice): Promise<Response> {
  const headers = { "x-api-key": key, "content-type": "application/json", ...init.headers };
  return fetch(`http://127.0.0.1:${server.port}${path}`, { ...init, headers });
}

function ask(model: string, key?: string): Promise<Response> {
  const messages = [{ role: "user", content: "PLANTED-PROMPT" }];
  const body = JSON.stringify({ model, max_tokens: 10, messages });
  return call("/v1/messages", { method: "POST", body }, key);
}

function raw(head: readonly string[], body = ""): RawConnection {
  const connection = new RawConnection(server.port);
  connection.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  return connection;
}

/** An error that clients of both APIs understand. */
function refusal(code: string, type: string): object {
  return { type: "error", error: { code, type, param: null, message: expect.any(String) } };
}

const POST = ["POST /v1/messages HTTP/1.1", "host: localhost", `x-api-key: ${KEYS.alice}`];

describe("keys", () => {
  it.each([
    ["/v1/messages", { type: "error", error: { type: "authentication_error" } }],
    ["/v1/chat/completions", { error: { code: "invalid_api_key", param: null } }],
  ])("are needed at %s: a wrong one is 401 in the client's shape", async (path, shape) => {
    const response = await call(path, { method: "POST", body: "{}" }, "PLANTED-WRONG-KEY");
    expect(response.status).toBe(401);
    expect(response.headers.get("x-should-retry")).toBe("false");
    expect(await response.json()).toMatchObject(shape);
  });

  it("are needed before a body is read", async () => {
    const connection = raw([
      "POST /v1/messages HTTP/1.1",
      "host: localhost",
      "content-type: application/json",
      "content-length: 90000",
    ]);
    expect(await connection.status()).toBe(401);
  });

  it("are not needed for /health, /ready and /openapi.json, and /metrics needs an admin", async () => {
    const open = (path: string) => fetch(`http://127.0.0.1:${server.port}${path}`);
    for (const path of ["/health", "/ready", "/openapi.json"]) {
      expect((await open(path)).status, path).toBe(200);
    }
    expect((await open("/metrics")).status).toBe(401);
    expect((await call("/metrics")).status).toBe(403);
    const metrics = await call("/metrics", {}, KEYS.admin);
    expect(metrics.headers.get("content-type")).toContain("version=0.0.4");
    expect(await metrics.text()).toContain('hawser_pool_processes{state="serving"}');
  });
});

describe("limits over HTTP", () => {
  it("answer within the limits with the headers of both APIs", async () => {
    const response = await ask("haiku");
    expect(response.status).toBe(200);
    expect(response.headers.get("anthropic-ratelimit-tokens-limit")).toBe("100000");
    expect(response.headers.get("x-ratelimit-limit-tokens")).toBe("100000");
    expect(response.headers.get("anthropic-ratelimit-tokens-reset")).toMatch(/^\d{4}-.*Z$/);
    expect(response.headers.get("anthropic-ratelimit-requests-limit")).toBeNull();
  });

  it("hide models that the tenant may not use", async () => {
    const response = await ask("opus");
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { type: "not_found_error" } });
  });

  it("refuse the second request of requestsPerMinute: 1 with 429 and retry-after", async () => {
    expect((await ask("haiku", KEYS.slow)).status).toBe(200);
    const refused = await ask("haiku", KEYS.slow);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(30);
    expect(refused.headers.get("x-should-retry")).toBe("true");
    expect(refused.headers.get("anthropic-ratelimit-requests-remaining")).toBe("0");
    expect(await refused.json()).toMatchObject({ error: { type: "rate_limit_error" } });
  });

  it("refuse with 429 and x-should-retry: false when usdPerDay is spent", async () => {
    expect((await ask("haiku", KEYS.poor)).status).toBe(200);
    const refused = await ask("haiku", KEYS.poor);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("x-should-retry")).toBe("false");
    expect(await refused.text()).toContain("of its $0.000001 for today");
  });
});

describe("bodies", () => {
  it("over bodyLimit are 413 as soon as their length is declared", async () => {
    const connection = raw([
      ...POST,
      "content-type: application/json",
      "content-length: 999999999",
    ]);
    expect(await connection.status()).toBe(413);
    expect(connection.text).toContain("request_too_large");
    await connection.closed;
  });

  it("over bodyLimit are 413 before a chunked body has ended", async () => {
    const head = [...POST, "content-type: application/json", "transfer-encoding: chunked"];
    const connection = raw(head);
    const chunk = `4000\r\n${" ".repeat(0x4000)}\r\n`;
    for (let i = 0; i < 12; i++) connection.write(chunk);
    expect(await connection.status()).toBe(413);
    await connection.closed;
  });

  it.each([
    ["malformed JSON", '{"model": "haiku",\n "messages": [}', "line 2, column 15"],
    ["JSON that is cut", '{"model": "haiku"', "not JSON"],
    ["no body", "", "The body is empty"],
    ["bytes that are no UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), "The body is not UTF-8"],
  ])("with %s are 400", async (_, body, text) => {
    const response = await call("/v1/messages", { method: "POST", body });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(text);
  });

  it("of another type are 415", async () => {
    const headers = { "content-type": "text/plain" };
    const response = await call("/v1/messages", { method: "POST", body: "{}", headers });
    expect(response.status).toBe(415);
  });
});

describe("slow clients", () => {
  it("that do not finish their headers are cut off with 408", async () => {
    const connection = new RawConnection(server.port);
    connection.write("POST /v1/messages HTTP/1.1\r\nhost: localhost\r\nx-slow: ");
    expect(await connection.status()).toBe(408);
    await connection.closed;
    expect(connection.json()).toMatchObject(refusal("request_timeout", "timeout_error"));
  });

  it("that do not finish their body are cut off, and this is no error of the server", async () => {
    const connection = raw([...POST, "content-type: application/json", "content-length: 50"], "{");
    await connection.closed;
    expect(await connection.status()).toBe(408);
    expect(connection.json()).toMatchObject(refusal("request_timeout", "timeout_error"));
    await vi.waitFor(() => expect(output).toContain('"status":499'));
    expect(output.trim().split("\n")).toHaveLength(1);
  });

  it("get no second answer into an answer that has begun", async () => {
    const get = (path: string) =>
      `GET ${path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${KEYS.alice}\r\n\r\n`;
    const connection = new RawConnection(server.port);
    connection.write(get("/health"));
    expect(await connection.status()).toBe(200);
    connection.write(get("/hawser/v1/events"));
    await vi.waitFor(() => expect(connection.text).toContain("snapshot"));
    connection.write(`${get("/health")}nonsense\r\n\r\n`);
    await connection.closed;
    expect(connection.text.split("HTTP/1.1 ")).toHaveLength(3);
  });

  it("with headers that are too large get 431", async () => {
    const connection = raw(["GET /health HTTP/1.1", "host: localhost", `x: ${"y".repeat(20_000)}`]);
    expect(await connection.status()).toBe(431);
    await connection.closed;
    expect(connection.json()).toMatchObject(refusal("headers_too_large", "invalid_request_error"));
  });

  it("that send requests without waiting for answers get them in order, and leave nothing behind", async () => {
    const get = (path: string) =>
      `GET ${path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${KEYS.alice}\r\n\r\n`;
    const connection = new RawConnection(server.port);
    connection.write(get("/health") + get("/v1/nothing") + get("/v1/models"));
    await vi.waitFor(() => {
      const statuses = [...connection.text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => code);
      expect(statuses).toEqual(["200", "404", "200"]);
    });
    const open = async () => {
      const text = await (await call("/metrics", {}, KEYS.admin)).text();
      return Number(/^hawser_requests_open (\d+)$/m.exec(text)?.[1]);
    };
    // A stream of events has no end, so that only the first of these begins.
    connection.write(get("/hawser/v1/events").repeat(10));
    await vi.waitFor(async () => expect(await open()).toBe(1));
    connection.destroy();
    await vi.waitFor(async () => expect(await open()).toBe(0));

    const many = new RawConnection(server.port);
    many.write(get("/hawser/v1/events").repeat(30));
    await many.closed;
    await vi.waitFor(async () => expect(await open()).toBe(0));
  });

  it("that speak no HTTP get 400 as JSON", async () => {
    const connection = raw(["NONSENSE"]);
    expect(await connection.status()).toBe(400);
    await connection.closed;
    expect(connection.json()).toMatchObject(refusal("invalid_request", "invalid_request_error"));
  });
});

describe("paths", () => {
  it.each([
    ["/health/../v1/models", 401],
    ["/v1/../v1/models", 401],
    ["//v1/models", 401],
    ["/v1/models/", 401],
    ["/V1/models", 401],
    ["/%2e%2e/v1/models", 401],
    ["/health%00", 401],
    ["/health;x", 401],
    ["/v1\\models", 400],
    ["/health?x=/v1/models", 200],
  ])("GET %s without a key is %i", async (path, status) => {
    const connection = raw([`GET ${path} HTTP/1.1`, "host: localhost", "connection: close"]);
    expect(await connection.status()).toBe(status);
    await connection.closed;
    if (status !== 200) expect(connection.json()).toHaveProperty("error.code");
  });

  it("that do not exist are 404, and other methods 405 with Allow", async () => {
    expect((await call("/v1/nothing")).status).toBe(404);
    const refused = await call("/v1/messages");
    expect(refused.status).toBe(405);
    expect(refused.headers.get("allow")).toBe("POST");
  });
});

describe("Host and Origin", () => {
  it.each([
    ["localhost", 200],
    ["127.0.0.1:1234", 200],
    ["[::1]:80", 200],
    ["gateway.example.org", 200],
    ["GATEWAY.example.org:443", 200],
    ["evil.example", 403],
    ["localhost.evil.example", 403],
    ["127.0.0.1.evil.example", 403],
    ["evil.example:80@localhost", 400],
  ])("a request to the host %s is %i", async (host, status) => {
    const connection = raw(["GET /health HTTP/1.1", `host: ${host}`, "connection: close"]);
    expect(await connection.status()).toBe(status);
    await connection.closed;
    if (status !== 200) expect(connection.json()).toHaveProperty("error.message");
  });

  it.each([
    ["https://app.example.org", 200],
    ["https://evil.example", 403],
    ["http://localhost:3000", 403],
    ["null", 403],
  ])("a web page of %s gets %i", async (origin, status) => {
    const response = await call("/v1/models", { headers: { origin } });
    expect(response.status).toBe(status);
    const allowed = response.headers.get("access-control-allow-origin");
    expect(allowed).toBe(status === 200 ? origin : null);
  });

  it("the question of a browser before a request is answered for allowed origins only", async () => {
    const ask = (origin: string) =>
      fetch(`http://127.0.0.1:${server.port}/v1/messages`, {
        method: "OPTIONS",
        headers: { origin, "access-control-request-method": "POST" },
      });
    expect((await ask("https://app.example.org")).status).toBe(204);
    expect((await ask("https://evil.example")).status).toBe(403);
  });
});

describe("logs", () => {
  it("hold no key, prompt or answer, also of refused and failed requests", async () => {
    await ask("haiku");
    await ask("PLANTED-PROMPT");
    await call("/v1/messages", { method: "POST", body: "PLANTED-PROMPT{" });
    await call("/v1/models?key=PLANTED-PROMPT", {}, "PLANTED-WRONG-KEY");
    await vi.waitFor(() => expect(output.trim().split("\n")).toHaveLength(4));
    // The name of a model is logged, because it explains a 404; a client that puts a prompt there is told so.
    const lines = output.split("\n").filter((line) => !line.includes('"model":"PLANTED-PROMPT"'));
    for (const secret of SECRETS) expect(lines.join("\n")).not.toContain(secret);
    const [first] = lines.map((line) => JSON.parse(line || "{}"));
    expect(first).toMatchObject({
      tenant: "alice",
      route: "/v1/messages",
      status: 200,
      model: "haiku",
    });
    expect(first.outputTokens).toBeGreaterThan(0);
  });
});

describe("the access log", () => {
  it("cuts what a client chose, so that a request makes no line of megabytes", async () => {
    await (await ask("m".repeat(50_000))).text();
    const unknown = Array.from({ length: 2000 }, (_, i) => [`unknown_parameter_${i}`, 1]);
    const body = JSON.stringify({
      ...Object.fromEntries(unknown),
      model: "nothing",
      max_tokens: 10,
      messages: [{ role: "user", content: "PLANTED-PROMPT" }],
    });
    expect((await call("/v1/messages", { method: "POST", body })).status).toBe(404);
    await vi.waitFor(() => expect(output.split("\n")).toHaveLength(3));
    expect(output.length).toBeLessThan(10_000);
  });

  it.each([
    ["a name of a file that is a property of every object", "a.constructor", "AAAA"],
    ["a data: URL with a very long head", "a.pdf", `data:${";".repeat(50_000)}`],
  ])("has no error of the gateway for %s", async (_, filename, file_data) => {
    const content = [{ type: "file", file: { filename, file_data } }];
    const body = JSON.stringify({ model: "haiku", messages: [{ role: "user", content }] });
    const response = await call("/v1/chat/completions", { method: "POST", body });
    expect(response.status).toBe(400);
  });

  it.each([
    ["a parameter", (deep: string) => `"metadata":${deep},"messages":[]`],
    [
      "a tool",
      (deep: string) => `"tools":[{"name":"a","input_schema":{"x":${deep}}}],"messages":[]`,
    ],
    [
      "a tool call",
      (deep: string) =>
        `"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"a","input":{"x":${deep}}}]}]`,
    ],
  ])("has no error of the gateway for %s that is nested very deeply", async (_, fields) => {
    const deep = "[".repeat(20_000) + "]".repeat(20_000);
    const body = `{"model":"haiku","max_tokens":1,${fields(deep)}}`;
    const response = await call("/v1/messages", { method: "POST", body });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("nested deeper than 200 levels");
  });

  it("refuses a body that would be very large in memory", async () => {
    const excess = jsonExcess(`{"model":"haiku","x":[${"[],".repeat(300_000)}[]]}`);
    expect(excess).toBe("too_many");
    expect(jsonExcess(JSON.stringify({ x: "[,".repeat(600_000) }))).toBeUndefined();
    expect(jsonExcess(JSON.stringify({ x: `\\"${"[".repeat(300)}`, y: "\\" }))).toBeUndefined();
    expect(jsonExcess(`"${"\\\\"}${"[".repeat(300)}`)).toBeUndefined();
  });

  it("has no error of the gateway for the arguments of a call that are nested very deeply", async () => {
    const deep = `{"x":${"[".repeat(5000)}${"]".repeat(5000)}}`;
    const call_ = { id: "1", type: "function", function: { name: "a", arguments: deep } };
    const messages = [
      { role: "user", content: "x" },
      { role: "assistant", tool_calls: [call_] },
      { role: "tool", tool_call_id: "1", content: "y" },
    ];
    const body = JSON.stringify({ model: "haiku", messages });
    const response = await call("/v1/chat/completions", { method: "POST", body });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("nested deeper than 200 levels");
  });

  it("lets a field named __proto__ change nothing", async () => {
    const body = `{"model":"haiku","max_tokens":1,"__proto__":{"stream":true,"polluted":1},"messages":[{"role":"user","content":[{"type":"text","text":"x","__proto__":{"type":"image"}}]}]}`;
    const response = await call("/v1/messages", { method: "POST", body });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toContain("application/json");
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});
