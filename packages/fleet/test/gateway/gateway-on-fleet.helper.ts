import {
  createGateway,
  type Gateway,
  type GatewayOptions,
  type Tenant,
} from "../../../gateway/src/index.js";
import { anonymousTenant } from "../../../gateway/src/tenants/anonymous-tenant.js";
import { readSse } from "../../../gateway/test/support/read-sse.js";
import type { Fleet } from "../../src/fleet.js";

/** The users of the tests. A request names its user in the header `x-api-key`. */
const USERS: Readonly<Record<string, Partial<Tenant>>> = {
  admin: { isAdmin: true },
  alice: { isAdmin: false },
  bob: { isAdmin: false },
  carol: { isAdmin: false },
  viewer: { name: "alice", isAdmin: false, canControl: false },
};

/** The answer of the gateway to one request. */
export interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field of the answer.
  readonly body: any;
}

/** A gateway in front of a fleet, with users that are told apart by their keys. */
export class GatewayOnFleet implements AsyncDisposable {
  readonly gateway: Gateway;

  constructor(fleet: Fleet, options: GatewayOptions = {}) {
    this.gateway = createGateway({
      fleet,
      agents: {
        helper: { description: "Helps.", profile: "default" },
        strict: { profile: "default", queue: "impatient", systemPrompt: "Be brief." },
      },
      tenants: {
        authenticate: (headers) => {
          const name = headers.get("x-api-key") ?? "admin";
          return { ...anonymousTenant(), name, ...USERS[name] };
        },
      },
      ...options,
    });
  }

  fetch(method: string, path: string, user: string, init: RequestInit = {}): Promise<Response> {
    const headers = { "x-api-key": user, "content-type": "application/json", ...init.headers };
    return this.gateway.fetch(new Request(`http://localhost${path}`, { ...init, method, headers }));
  }

  async ask(method: string, path: string, user: string, body?: unknown): Promise<Reply> {
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await this.fetch(method, path, user, init);
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  }

  /** The events of a stream, until it ends or the reader leaves. */
  async *events(
    path: string,
    user: string,
    headers: Record<string, string> = {},
    // biome-ignore lint/suspicious/noExplicitAny: a test reads any field of an event.
  ): AsyncGenerator<{ id: string | undefined; data: any }, void> {
    const response = await this.fetch("GET", path, user, { headers });
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    for await (const { id, data } of readSse(response)) {
      if (data !== "") yield { id, data: JSON.parse(data) };
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.gateway.close();
  }
}
