import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { RequestError } from "../../src/errors/request-error.js";
import type { TenantSource } from "../../src/gateway.js";
import { anonymousTenant } from "../../src/tenants/anonymous-tenant.js";
import { gatewayWorld } from "../support/gateway-world.js";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/** The requests that the server of the files got. */
const fetched: string[] = [];
/** How many reservations are open, and whether there is room for one. */
const limit = { open: 0, isFull: false };

const files = createServer(({ url = "" }, response) => {
  fetched.push(url);
  const status = url === "/a.png" ? 200 : 404;
  response.writeHead(status, { "content-type": "image/png" }).end(Buffer.from(PNG, "base64"));
});
let base = "";
beforeAll(async () => {
  await once(files.listen(0, "127.0.0.1"), "listening");
  base = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
});
afterAll(() => void files.close());
beforeEach(() => {
  fetched.length = 0;
  limit.isFull = false;
});

const tenants: TenantSource = {
  authenticate: () => ({
    ...anonymousTenant(world.cliOptions),
    mayUse: (model) => model !== "opus",
    admit: () => {
      if (limit.isFull) throw new RequestError("rate_limit_exceeded", "Full.");
      limit.open += 1;
      const settle = () => {
        limit.open -= 1;
      };
      return { limits: {}, settle };
    },
  }),
};
const world = gatewayWorld({ tenants, fetchUrls: { allows: () => true } });

/** A request of each format that names an image. */
const FORMATS = {
  messages: (url: string, more: object = {}) =>
    world.post("/v1/messages", {
      model: "sonnet",
      max_tokens: 100,
      messages: [{ role: "user", content: [{ type: "image", source: { type: "url", url } }] }],
      ...more,
    }),
  chat: (url: string, more: object = {}) =>
    world.post("/v1/chat/completions", {
      model: "sonnet",
      messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }],
      ...more,
    }),
  responses: (url: string, more: object = {}) =>
    world.post("/v1/responses", {
      model: "sonnet",
      input: [{ role: "user", content: [{ type: "input_image", image_url: url }] }],
      ...more,
    }),
} as const;

describe.each(Object.entries(FORMATS))("fetchUrls in the format of %s", (name, ask) => {
  it("fetches nothing for a request that a limit of the tenant refuses", async () => {
    limit.isFull = true;
    expect((await ask(`${base}/a.png`)).status).toBe(429);
    expect(fetched).toEqual([]);
  });

  it("fetches nothing for a model that the tenant may not use, or for a bad parameter", async () => {
    expect((await ask(`${base}/a.png`, { model: "opus" })).status).toBe(404);
    const tools = name === "messages" ? "x" : [{ type: "function", name: "" }];
    expect((await ask(`${base}/a.png`, { tools })).status).toBe(400);
    expect(fetched).toEqual([]);
  });

  it("fetches for an admitted request, and the model sees the image", async () => {
    world.script("A dot.");
    const response = await ask(`${base}/a.png`);
    expect(response.status).toBe(200);
    expect(fetched).toEqual(["/a.png"]);
    expect(JSON.stringify(world.calls[0]?.body)).toContain(PNG);
    if (name !== "responses") return;
    // The stored item has the contents, so that the conversation goes on without the URL.
    const { id } = (await response.json()) as { id: string };
    const items = await world.fetch(`/v1/responses/${id}/input_items`);
    expect(await items.text()).toContain(`data:image/png;base64,${PNG}`);
  });

  it("ends the reservation of a request whose URL is bad", async () => {
    const before = limit.open;
    expect((await ask(`${base}/nothing.png`)).status).toBe(400);
    expect(fetched).toEqual(["/nothing.png"]);
    expect(limit.open).toBe(before);
  });
});

describe("URLs inside of a document of blocks", () => {
  it("are fetched by the gateway, and never passed on", async () => {
    world.script("A dot.");
    const image = { type: "image", source: { type: "url", url: `${base}/a.png` } };
    const source = { type: "content", content: [image] };
    const messages = [{ role: "user", content: [{ type: "document", source }] }];
    const response = await world.post("/v1/messages", { model: "sonnet", max_tokens: 9, messages });
    expect(response.status).toBe(200);
    expect(fetched).toEqual(["/a.png"]);
    expect(JSON.stringify(world.calls[0]?.body)).not.toContain(base);
  });
});
