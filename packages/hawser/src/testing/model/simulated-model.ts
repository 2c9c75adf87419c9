import { AssertionError } from "node:assert";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { refuseUnknownOptions } from "../refuse-unknown-options.js";
import { apiError } from "./api-error.js";
import { AUXILIARY_REPLIES, type AuxiliaryKind } from "./auxiliary-kind.js";
import { type RecordedRequest, recordRequest } from "./recorded-request.js";
import { type Reply, type ReplyInput, toReply } from "./reply.js";
import { PlayedScript, type ReplyScript, type ScriptEntry } from "./reply-script.js";
import { type Exchange, sendJson, sendReply } from "./send-reply.js";

/** Options of `SimulatedModel.start()`. */
export interface SimulatedModelOptions {
  /**
   * The replies: one entry for each request of the conversation, or a function of the request.
   * @default []
   */
  readonly replies?: ReplyScript;
  /** Replies to the requests that the CLI makes on its own, in place of the built-in ones. */
  readonly auxiliary?: Partial<Readonly<Record<AuxiliaryKind, ReplyInput>>>;
  /**
   * Counts the tokens of a request.
   * @default a quarter of the bytes
   */
  readonly countTokens?: (request: RecordedRequest) => number;
}

/**
 * A server on 127.0.0.1 that speaks the Messages API and sends the replies that a test scripts. The
 * real CLI uses it if ANTHROPIC_BASE_URL is the server's `url`; `isolatedEnv()` sets that variable.
 *
 * Each request of the conversation takes the next reply, and so does each retry of the CLI. A request
 * without a reply gets status 418 (which the CLI shows and does not retry) and makes `close()` reject,
 * so that a test cannot pass by accident.
 *
 * @example
 * ```ts
 * import { spawn } from "node:child_process";
 * import { text } from "node:stream/consumers";
 * import { isolatedEnv, SimulatedModel, toolUse } from "hawser/testing";
 *
 * await using model = await SimulatedModel.start({
 *   replies: [
 *     toolUse("Bash", { command: "echo hello" }),
 *     (call) => `It said ${call.toolResults[0]?.text}.`,
 *   ],
 * });
 * await using world = await isolatedEnv({ baseUrl: model.url });
 * const cli = spawn("claude", ["-p", "greet me", "--allowedTools=Bash"], {
 *   ...world, // env and cwd
 *   stdio: ["ignore", "pipe", "inherit"],
 * });
 * console.log(await text(cli.stdout)); // It said hello.
 * model.assertDone();
 * ```
 */
export class SimulatedModel {
  /** The value for ANTHROPIC_BASE_URL. */
  readonly url: string;
  readonly #server: Server;
  readonly #script: PlayedScript;
  readonly #options: SimulatedModelOptions;
  readonly #requests: RecordedRequest[] = [];
  readonly #problems: string[] = [];
  readonly #waiters = new Set<Waiter>();
  readonly #closing = new AbortController();
  readonly #name = randomUUID().replaceAll("-", "").slice(0, 12);
  #ids = 0;
  #closed: Promise<void> | undefined;

  /** Starts the server on a free port. The server alone does not keep your program running. */
  static async start(options: SimulatedModelOptions = {}): Promise<SimulatedModel> {
    refuseUnknownOptions("SimulatedModel.start()", options, OPTIONS);
    const script = new PlayedScript(options.replies ?? []);
    // No time limits: a connection closed just as the CLI reuses it would look like a network error.
    const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0 });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    // A test that fails before it closes the model must not hang. A program that waits for a call has
    // the CLI process to keep it alive.
    server.unref();
    // The CLI of a session that is never closed keeps its connection as long as this program lives.
    server.on("connection", (socket) => socket.unref());
    return new SimulatedModel(server, script, options);
  }

  private constructor(server: Server, script: PlayedScript, options: SimulatedModelOptions) {
    this.#server = server;
    this.#options = options;
    this.#script = script;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on("request", (request, response) => {
      // If the client disconnects during the answer, the server has not failed.
      this.#handle(request, response).catch(() => response.destroy());
    });
  }

  /** Every request so far, including those outside the conversation, in the order of arrival. */
  get requests(): readonly RecordedRequest[] {
    return this.#requests;
  }

  /** The requests of the conversation, which take replies from the script. */
  get calls(): readonly RecordedRequest[] {
    return this.#requests.filter((request) => request.kind === "call");
  }

  /** Adds replies to the end of the script. */
  add(...replies: readonly ScriptEntry[]): void {
    this.#script.add(replies);
  }

  /**
   * Resolves with the first request for which `fits` returns true, now or later. Rejects if the server
   * closes first.
   */
  waitFor(fits: (request: RecordedRequest) => boolean): Promise<RecordedRequest> {
    const found = this.#requests.find(fits);
    if (found !== undefined) return Promise.resolve(found);
    if (this.#closed !== undefined) return Promise.reject(notReceived());
    const promise = new Promise<RecordedRequest>((resolve, reject) => {
      this.#waiters.add({ fits, resolve, reject });
    });
    promise.catch(() => {
      // A test that has already failed may never await the promise.
    });
    return promise;
  }

  /** Throws if a request found no reply, if a reply function threw, or if replies are left over. */
  assertDone(): void {
    const left = this.#script.left;
    const unused = `${left} scripted ${left === 1 ? "reply was" : "replies were"} never asked for`;
    this.#throwProblems(left === 0 ? [] : [unused]);
  }

  /**
   * Closes the server and every connection, including hanging ones. Rejects if a request found no reply
   * or a reply function threw. Replies that are left over are no failure here.
   */
  async close(): Promise<void> {
    this.#closed ??= this.#shutDown();
    await this.#closed;
    this.#throwProblems();
  }

  /** Calls `close()` at the end of a block with `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const arrivedAt = Date.now();
    const { method = "", url = "/", headers } = incoming;
    const body = await readJson(incoming);
    const number = this.#requests.length + 1;
    const request = recordRequest({ number, method, url, headers, body, arrivedAt });
    this.#requests.push(request);

    const exchange: Exchange = {
      response,
      stream: request.stream,
      requestId: this.#nextId("req"),
      identity: { model: request.model ?? "unknown", nextId: (prefix) => this.#nextId(prefix) },
      closing: this.#closing.signal,
    };
    // Takes the reply before waitFor() resolves, so that a reply added there is for the next request.
    const reply = this.#replyTo(request);
    this.#tell(request);
    if (reply !== undefined) return sendReply(await reply, exchange);
    if (request.kind === "count_tokens") {
      const count = this.#options.countTokens ?? estimateTokens;
      return sendJson(exchange, 200, { input_tokens: count(request) });
    }
    // The CLI probes the server at its start: HEAD / or HEAD /api/hello.
    if (method === "HEAD") return void response.writeHead(200).end();
    return sendReply(notSimulated(request), exchange);
  }

  /** Undefined for a request that is not answered by the model. */
  #replyTo(request: RecordedRequest): Promise<Reply> | undefined {
    if (request.kind === "call") return this.#scripted(request);
    const kind = request.auxiliary;
    if (kind === undefined) return undefined;
    return Promise.resolve(toReply(this.#options.auxiliary?.[kind] ?? AUXILIARY_REPLIES[kind]));
  }

  async #scripted(request: RecordedRequest): Promise<Reply> {
    try {
      const reply = await this.#script.next(request);
      return reply ?? this.#fail(`No reply is scripted for ${describe(request)}`);
    } catch (error) {
      return this.#fail(`The reply function threw at ${describe(request)}: ${String(error)}`);
    }
  }

  #fail(message: string): Reply {
    this.#problems.push(message);
    return apiError(418, { type: "invalid_request_error", message: `SimulatedModel: ${message}` });
  }

  #tell(request: RecordedRequest): void {
    for (const waiter of this.#waiters) {
      if (!waiter.fits(request)) continue;
      this.#waiters.delete(waiter);
      waiter.resolve(request);
    }
  }

  #nextId(prefix: string): string {
    return `${prefix}_sim${this.#name}${String(++this.#ids).padStart(6, "0")}`;
  }

  #throwProblems(more: readonly string[] = []): void {
    const problems = [...this.#problems, ...more];
    if (problems.length === 0) return;
    throw new AssertionError({ message: `SimulatedModel: ${problems.join("; ")}` });
  }

  async #shutDown(): Promise<void> {
    this.#closing.abort();
    for (const waiter of this.#waiters) waiter.reject(notReceived());
    this.#waiters.clear();
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

const OPTIONS = { replies: true, auxiliary: true, countTokens: true } satisfies Record<
  keyof SimulatedModelOptions,
  true
>;

interface Waiter {
  readonly fits: (request: RecordedRequest) => boolean;
  readonly resolve: (request: RecordedRequest) => void;
  readonly reject: (error: Error) => void;
}

async function readJson(incoming: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  try {
    return text === "" ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}

function estimateTokens(request: RecordedRequest): number {
  return Math.ceil(Buffer.byteLength(JSON.stringify(request.body) ?? "") / 4);
}

function notSimulated({ method, path }: RecordedRequest): Reply {
  return method === "POST" && path === "/v1/messages"
    ? apiError(400, { message: "messages: Field required" })
    : apiError(404, { message: `SimulatedModel: ${method} ${path} is not simulated` });
}

function describe(request: RecordedRequest): string {
  const prompt = JSON.stringify(request.prompt.slice(0, 80));
  const results = request.toolResults.map((result) => JSON.stringify(result.text.slice(0, 80)));
  const about = results.length > 0 ? `tool results ${results.join(", ")}` : `prompt ${prompt}`;
  return `request ${request.number} (${request.method} ${request.path}, ${about})`;
}

function notReceived(): Error {
  return new AssertionError({
    message: "SimulatedModel: closed before the awaited request arrived",
  });
}
