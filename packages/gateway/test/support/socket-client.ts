import { once } from "node:events";
import { type Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import { sseEvents } from "./read-sse.js";

/** Where a client closes its connection. */
export type Departure =
  | { readonly afterEvent: number }
  | { readonly afterMs: number }
  /** When this promise is fulfilled. */
  | { readonly when: Promise<unknown> };

/** What a client got over its connection. */
export interface Received {
  /** Undefined if the client left before the answer. */
  readonly status: number | undefined;
  readonly text: string;
  /** Whether the client closed the connection before the end. */
  readonly hasLeft: boolean;
  /** Why the connection ended before the answer, if the client has not left. */
  readonly cutBy: Error | undefined;
}

export interface PostOptions {
  /** @default false: a connection of its own */
  readonly agent?: Agent | false;
  readonly method?: string;
  readonly leaves?: Departure | undefined;
  /** Gets what has come so far, after each piece. */
  readonly sees?: (text: string) => void;
}

/** Sends a request to 127.0.0.1, and reads the answer to its end or until the client leaves. */
export async function postOver(
  port: number,
  path: string,
  body: object | undefined,
  { agent = false, method = "POST", leaves, sees }: PostOptions = {},
): Promise<Received> {
  const sent = request({
    ...{ host: "127.0.0.1", port, path, method, agent },
    headers: { "content-type": "application/json" },
  });
  const departing = new Departing(sent, leaves);
  let status: number | undefined;
  let text = "";
  let cutBy: Error | undefined;
  try {
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    status = response.statusCode;
    response.setEncoding("utf8");
    for await (const piece of response) {
      text += piece;
      sees?.(text);
      departing.see(text);
      if (departing.hasLeft) break;
    }
  } catch (error) {
    if (!departing.hasLeft) cutBy = error as Error;
  } finally {
    departing.settle();
  }
  return { status, text, hasLeft: departing.hasLeft, cutBy };
}

class Departing {
  readonly #sent: ClientRequest;
  readonly #leaves: Departure | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isSettled = false;
  hasLeft = false;

  constructor(sent: ClientRequest, leaves: Departure | undefined) {
    this.#sent = sent;
    this.#leaves = leaves;
    // The errors of a connection that the client has closed itself come at any time.
    sent.on("error", () => {});
    if (leaves === undefined) return;
    if ("afterMs" in leaves) this.#timer = setTimeout(() => this.#leave(), leaves.afterMs);
    if ("when" in leaves) leaves.when.then(() => this.#leave());
  }

  see(text: string): void {
    const leaves = this.#leaves;
    if (leaves === undefined || !("afterEvent" in leaves)) return;
    if (sseEvents(text).length >= leaves.afterEvent) this.#leave();
  }

  settle(): void {
    this.#isSettled = true;
    clearTimeout(this.#timer);
  }

  #leave(): void {
    if (this.#isSettled) return;
    this.hasLeft = true;
    this.#sent.destroy();
  }
}
