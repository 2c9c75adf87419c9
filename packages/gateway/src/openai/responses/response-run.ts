import type { AnswerEvent } from "hawser/answer";
import { problemOf } from "../../errors/problem.js";
import type { GatewayCore } from "../../gateway-core.js";
import type { Exchange } from "../../http/exchange.js";
import type { UrlFiles } from "../../http/url-files.js";
import { inlineResponseUrls } from "./inline-response-urls.js";
import { type ResponseEvent, ResponseEvents } from "./response-events.js";
import type { ResponseItem } from "./response-item.js";
import { emptyResponse, type ResponseObject } from "./response-object.js";
import type { ResponseStore } from "./response-store.js";
import type { ResponsesBody } from "./responses-body.js";
import type { RunningResponse, RunningResponses } from "./running-responses.js";
import type { TranslatedResponses } from "./translate-responses.js";

export interface ResponseRunOptions {
  readonly core: GatewayCore;
  readonly store: ResponseStore;
  readonly running: RunningResponses;
  readonly exchange: Exchange;
  readonly id: string;
  readonly body: ResponsesBody;
  readonly translated: TranslatedResponses;
  /** The items of the conversation before this request. */
  readonly earlier: readonly ResponseItem[];
  /** The items of this request. */
  readonly input: readonly ResponseItem[];
  /** The files that the items name by URL. */
  readonly files: UrlFiles | undefined;
}

/** The work on one response. Another connection can look at it and cancel it. */
export class ResponseRun implements RunningResponse {
  readonly #options: ResponseRunOptions;
  readonly #events: ResponseEvents;
  #isCancelled = false;

  constructor(options: ResponseRunOptions) {
    this.#options = options;
    const { id, body, translated } = options;
    const now = () => Math.floor(Date.now() / 1000);
    this.#events = new ResponseEvents(emptyResponse(id, body, now()), { ...translated, now });
  }

  get response(): ResponseObject {
    return this.#events.response;
  }

  stored = (): ResponseObject | undefined => (this.response.store ? this.response : undefined);

  /** Begins the answer. Rejects if the request is refused, or fails before the model answers. */
  async begin(): Promise<AsyncGenerator<ResponseEvent, void, undefined>> {
    const { core, running, exchange, id, translated, files } = this.#options;
    const { name } = exchange.tenant;
    running.add(name, id, this);
    // Also if the request is refused, or if the client is gone before it has read anything.
    exchange.onEnd(() => running.remove(name, id));
    return this.#run(await core.answer(exchange, translated.request, files));
  }

  async cancel(): Promise<ResponseObject> {
    this.#isCancelled = true;
    this.#options.exchange.abort();
    const cancelled: ResponseObject = { ...this.response, status: "cancelled" };
    // At once, because a client that does not read its stream keeps the run waiting.
    await this.#settle(cancelled);
    return cancelled;
  }

  async *#run(answer: AsyncIterable<AnswerEvent>): AsyncGenerator<ResponseEvent, void, undefined> {
    const events = this.#events;
    let isSettled = false;
    try {
      for await (const event of answer) {
        const sent = [...events.push(event)];
        if (event.type === "end") {
          // Before the client sees the end, because it may continue the conversation at once.
          await this.#settle(events.response);
          isSettled = true;
        }
        yield* sent;
      }
    } catch (error) {
      if (isSettled) throw error;
      const last = this.#isCancelled ? events.cancel() : events.fail(problemOf(error, true));
      const sent = [...last];
      await this.#settle(events.response);
      isSettled = true;
      yield* sent;
      if (!this.#isCancelled) throw error;
    } finally {
      // The client is gone.
      if (!isSettled) await this.#settle({ ...events.response, status: "cancelled" });
    }
  }

  async #settle(response: ResponseObject): Promise<void> {
    const { store, running, exchange, id, earlier, files } = this.#options;
    const tenant = exchange.tenant.name;
    if (response.store) {
      const input = inlineResponseUrls(this.#options.input, files);
      await store.put(tenant, id, { response, earlier, input, output: this.#events.items });
    }
    running.remove(tenant, id);
  }
}
