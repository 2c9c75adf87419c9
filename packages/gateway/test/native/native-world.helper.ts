import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { type Approvals, createApprovals, createPool, type Options, type Pool } from "hawser";
import {
  type IsolatedEnv,
  isolatedEnv,
  type ReplyFunction,
  type ReplyInput,
  SimulatedModel,
} from "hawser/testing";
import { afterAll, beforeAll } from "vitest";
import { nativeCli } from "../../../../tools/native-cli.js";
import {
  createNativeApi,
  type NativeApi,
  type NativeApiOptions,
} from "../../src/native/create-native-api.js";
import type { NativeAccess } from "../../src/native/native-access.js";

/** The users of the tests. A request names its user in the header `x-user`. */
const USERS: Readonly<Record<string, NativeAccess>> = {
  admin: { name: "admin", isAdmin: true, canControl: true },
  alice: { name: "alice", isAdmin: false, canControl: true },
  bob: { name: "bob", isAdmin: false, canControl: true },
  viewer: { name: "alice", isAdmin: false, canControl: false },
};

/** The answer of the API to one request. */
export interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field of the answer.
  readonly body: any;
}

/** A native API on a pool with the real CLI, a simulated model, and a real socket. */
export class NativeWorld {
  /** What the model answers in this test; the rest of the last list is dropped. */
  #replies: (ReplyInput | ReplyFunction)[] = [];
  #place: IsolatedEnv | undefined;
  #model: SimulatedModel | undefined;
  #pool: Pool | undefined;
  #api: NativeApi | undefined;
  readonly approvals: Approvals = createApprovals();
  readonly #server = createServer((request, response) => {
    void getRequestListener((each) => this.api.fetch(each))(request, response);
  });

  async start(options: NativeApiOptions = {}): Promise<void> {
    this.#model = await SimulatedModel.start({
      replies: (call) => {
        const next = this.#replies.shift() ?? "Done.";
        return typeof next === "function" ? next(call) : next;
      },
    });
    this.#place = await isolatedEnv({ baseUrl: this.#model.url });
    this.#pool = createPool({ size: { min: 0, max: 4 } });
    this.#api = createNativeApi({
      approvals: this.approvals,
      pool: this.#pool,
      agents: { helper: { ...this.options, description: "Helps." } },
      access: (request) =>
        USERS[request.headers.get("x-user") ?? "admin"] ?? (USERS["bob"] as NativeAccess),
      ...options,
    });
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await this.#api?.close();
    await this.#pool?.close();
    await this.#place?.dispose();
    await this.#model?.close();
  }

  script(...replies: readonly (ReplyInput | ReplyFunction)[]): void {
    this.#replies = [...replies];
  }

  get model(): SimulatedModel {
    return started(this.#model);
  }

  get pool(): Pool {
    return started(this.#pool);
  }

  get api(): NativeApi {
    return started(this.#api);
  }

  get place(): IsolatedEnv {
    return started(this.#place);
  }

  /** The options that keep a session inside of this world. */
  get options(): Options {
    const { cwd, env } = this.place;
    return { cliPath: nativeCli("@anthropic-ai/claude-code"), cwd, env, inheritEnv: false };
  }

  /** The address of the API on a real socket. */
  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  async get(path: string, user = "admin"): Promise<Reply> {
    return this.#ask(new Request(`http://localhost/hawser/v1${path}`, headersOf(user)));
  }

  async post(path: string, body: unknown = {}, user = "admin"): Promise<Reply> {
    return this.#send("POST", path, body, user);
  }

  async delete(path: string, user = "admin"): Promise<Reply> {
    return this.#send("DELETE", path, {}, user);
  }

  /** Opens a session of the agent. */
  async open(user = "admin"): Promise<{ readonly id: string; readonly sessionId: string }> {
    const { status, body } = await this.post("/sessions", { agent: "helper" }, user);
    if (status !== 201) throw new Error(JSON.stringify(body));
    return body.session;
  }

  /** Reads the events of the API over a real socket. */
  async events(query = "", user = "admin", lastEventId?: string): Promise<EventReader> {
    const leave = new AbortController();
    const response = await fetch(`${this.url}/hawser/v1/events${query}`, {
      headers: { "x-user": user, ...(lastEventId && { "last-event-id": lastEventId }) },
      signal: leave.signal,
    });
    if (response.body === null || response.status !== 200) throw new Error(await response.text());
    return new EventReader(response.body, leave);
  }

  async #send(method: string, path: string, body: unknown, user: string): Promise<Reply> {
    const { headers } = headersOf(user);
    const request = new Request(`http://localhost/hawser/v1${path}`, {
      method,
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return this.#ask(request);
  }

  async #ask(request: Request): Promise<Reply> {
    const response = await this.api.fetch(request);
    return { status: response.status, body: await response.json() };
  }
}

/** One world for all tests of a block. */
export function nativeWorld(options?: NativeApiOptions): NativeWorld {
  const world = new NativeWorld();
  beforeAll(() => world.start(options));
  afterAll(() => world.close());
  return world;
}

/** An event as a client reads it. */
export interface ReadEvent {
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field of an event.
  readonly data: any;
}

/** Reads server-sent events from a response. */
export class EventReader {
  /** All events so far. */
  readonly seen: ReadEvent[] = [];
  /** The id that a client sends when it connects again. */
  lastId = "";
  readonly #leave: AbortController;
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #text = "";

  constructor(body: ReadableStream<Uint8Array>, leave: AbortController) {
    this.#leave = leave;
    this.#chunks = (body as unknown as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  }

  /** The first event that fits, among those that were not yet returned. */
  async until(fits: (event: ReadEvent) => boolean, from = this.seen.length): Promise<ReadEvent> {
    for (let at = from; ; at += 1) {
      while (this.seen.length <= at) await this.#read();
      const event = this.seen[at];
      if (event !== undefined && fits(event)) return event;
    }
  }

  untilKind(kind: string, from?: number): Promise<ReadEvent> {
    return this.until(({ data }) => data.kind === kind, from);
  }

  leave(): void {
    this.#leave.abort();
  }

  async #read(): Promise<void> {
    const { done, value } = await this.#chunks.next();
    if (done === true) throw new Error("The stream has ended.");
    this.#text += this.#decoder.decode(value, { stream: true });
    const frames = this.#text.split("\n\n");
    this.#text = frames.pop() ?? "";
    for (const frame of frames) this.#take(frame);
  }

  #take(frame: string): void {
    const lines = frame.split("\n");
    const field = (name: string) =>
      lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    this.lastId = field("id") ?? this.lastId;
    const data = field("data");
    if (data !== undefined) this.seen.push({ id: this.lastId, data: JSON.parse(data) });
  }
}

function headersOf(user: string): { readonly headers: Record<string, string> } {
  return { headers: { "x-user": user } };
}

function started<T>(part: T | undefined): T {
  if (part === undefined) throw new Error("The world starts before the first test.");
  return part;
}
