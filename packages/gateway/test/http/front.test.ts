import { AsyncLocalStorage } from "node:async_hooks";
import { TRACING_CHANNELS } from "hawser";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { application } from "../../src/application.js";
import type { GatewayCore } from "../../src/gateway-core.js";
import type { AccessEntry } from "../../src/http/access-log.js";
import { Exchanges } from "../../src/http/exchange.js";
import { GATEWAY_CHANNELS, type TracedRequest } from "../../src/http/gateway-channels.js";
import { openapiDocument } from "../../src/http/openapi.js";
import { createNativeApi } from "../../src/native/create-native-api.js";
import { anonymousTenant } from "../../src/tenants/anonymous-tenant.js";
import { gatewayWorld } from "../support/gateway-world.js";

const log: AccessEntry[] = [];
const world = gatewayWorld({ countTokens: true, http: { log: (entry) => log.push(entry) } });

const TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

function ask(more: object = {}, headers: Record<string, string> = {}): Promise<Response> {
  const messages = [{ role: "user", content: "Name a knot." }];
  return world.post("/v1/messages", { model: "haiku", max_tokens: 9, messages, ...more }, headers);
}

describe("GATEWAY_CHANNELS.request", () => {
  it("surrounds the calls of a request, and ends when its stream was sent", async () => {
    const store = new AsyncLocalStorage<TracedRequest>();
    const { request } = GATEWAY_CHANNELS;
    const ended: TracedRequest[] = [];
    const parents: (TracedRequest | undefined)[] = [];
    const onEnd = (traced: TracedRequest) => void ended.push(traced);
    const onCall = () => void parents.push(store.getStore());
    request.start.bindStore(store, (traced) => traced);
    request.asyncEnd.subscribe(onEnd as (traced: unknown) => void);
    TRACING_CHANNELS.call.start.subscribe(onCall);
    onTestFinished(() => {
      request.start.unbindStore(store);
      request.asyncEnd.unsubscribe(onEnd as (traced: unknown) => void);
      TRACING_CHANNELS.call.start.unsubscribe(onCall);
    });
    world.script("A bowline.");
    const response = await ask({ stream: true }, { traceparent: TRACEPARENT });
    expect(ended).toEqual([]);
    await response.text();
    expect(parents.map((parent) => parent?.traceparent)).toEqual([TRACEPARENT]);
    expect(ended).toHaveLength(1);
    expect(ended[0]).toMatchObject({
      id: response.headers.get("request-id"),
      path: "/v1/messages",
      route: "/v1/messages",
      errorCode: undefined,
      model: "haiku",
      tenant: "anonymous",
      status: 200,
    });
  });

  it("has no traceparent if the client sends none that is well-formed", async () => {
    const seen: TracedRequest[] = [];
    const onStart = (traced: unknown) => void seen.push(traced as TracedRequest);
    GATEWAY_CHANNELS.request.start.subscribe(onStart);
    onTestFinished(() => void GATEWAY_CHANNELS.request.start.unsubscribe(onStart));
    await world.fetch("/v1/models", { headers: { traceparent: "00-x-y\u007f" } }).catch(() => {});
    await world.fetch("/v1/models", { headers: { traceparent: "nonsense" } });
    expect(seen.at(-1)?.traceparent).toBeUndefined();
  });
});

describe("the access log", () => {
  it("has one entry for each request, with tokens and cost", async () => {
    log.length = 0;
    world.script("A bowline.");
    await (await ask()).text();
    await world.fetch("/v1/nothing");
    expect(log).toHaveLength(2);
    expect(log[0]).toMatchObject({ route: "/v1/messages", status: 200, isAborted: false });
    expect(log[0]?.outputTokens).toBeGreaterThan(0);
    expect(log[0]?.costUsd).toBeGreaterThan(0);
    expect(log[1]).toMatchObject({ path: "/v1/nothing", route: undefined, errorCode: "not_found" });
  });

  it("says that the client was gone", async () => {
    log.length = 0;
    world.script("A bowline, a sheet bend, and many more.");
    const response = await ask({ stream: true });
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await vi.waitFor(() => expect(log).toHaveLength(1), { timeout: 10_000 });
    expect(log[0]).toMatchObject({ isAborted: true, status: 200 });
  });
});

describe("/metrics", () => {
  it("counts requests, tokens, cost and processes", async () => {
    world.script("A bowline.");
    await (await ask()).text();
    const text = await (await world.fetch("/metrics")).text();
    const labels = 'route="/v1/messages",method="POST",status="200",tenant="anonymous"';
    expect(text).toMatch(new RegExp(`^hawser_requests_total\\{${labels}\\} [1-9]`, "m"));
    expect(text).toMatch(/^hawser_tokens_total\{tenant="anonymous",kind="output"\} [1-9]/m);
    expect(text).toMatch(/^hawser_cost_usd_total\{tenant="anonymous"\} 0\.\d/m);
    expect(text).toMatch(/^hawser_pool_processes_started_total [1-9]/m);
    for (let i = 0; i < 3; i += 1) await world.fetch("/v1/models", { method: `INVENTED${i}` });
    const after = await (await world.fetch("/metrics")).text();
    expect(after).toContain('method="other"');
    expect(after).not.toContain("INVENTED");
    const values = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    for (const line of values)
      expect(line).toMatch(/^[a-z_]+(\{([a-z]+="[^"]*",?)+\})? [\d.e+-]+$/);
  });
});

describe("/openapi.json", () => {
  it("lists every route of the application", async () => {
    const native = createNativeApi();
    onTestFinished(() => native.close());
    const parts = {
      gateway: 0,
      core: { pool: world.pool } as GatewayCore,
      exchanges: new Exchanges(),
      tenants: { authenticate: () => anonymousTenant() },
      live: { settings: {} },
      native,
    };
    const mounted = application(parts)
      .routes.filter(({ method }) => method !== "ALL")
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)(\{[^}]*\})?/g, "{$1}")}`);
    const { paths } = openapiDocument("1.2.3") as { paths: Record<string, object> };
    const listed = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(mounted.length).toBeGreaterThan(30);
    expect([...new Set(mounted)].sort()).toEqual(listed.sort());
  });

  it("describes only operations that exist, and names the schemas of the bodies", async () => {
    const document = openapiDocument("1.2.3") as {
      paths: Record<string, Record<string, { requestBody?: { content: object } }>>;
    };
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const method of Object.keys(methods)) {
        const body = method === "post" ? { body: "{}" } : {};
        const headers = { "content-type": "application/json" };
        const init = { method: method.toUpperCase(), headers, ...body };
        const response = await world.fetch(path.replace("{id}", "some-id"), init);
        const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
        const text = isStream ? "" : await response.text();
        if (isStream) await response.body?.cancel();
        expect(text, `${method} ${path}`).not.toMatch(/There is no (GET|POST|DELETE) /);
        expect(response.status, `${method} ${path}`).not.toBe(405);
      }
    }
    const bodyOf = (path: string) =>
      JSON.stringify(document.paths[path]?.["post"]?.requestBody?.content);
    expect(bodyOf("/v1/messages")).toContain("stop_sequences");
    expect(bodyOf("/hawser/v1/sessions")).toContain("resume");
    expect(bodyOf("/hawser/v1/approvals/{id}")).toContain("updatedInput");
  });
});
