import { HawserError, type Logger, type Mask } from "hawser";
import type { Client } from "pg";
import type { Channel } from "../database.js";
import { toDatabaseError } from "../database-error.js";
import { quoteName } from "../schema-name.js";
import { connectWithin, destroyClient, endWithin } from "./bounded-client.js";

/** A connection that is silently cut says nothing, so it is asked. */
const CHECK_EVERY_MS = 10_000;
const CHECK_TIMEOUT_MS = 5_000;
const CONNECT_TIMEOUT_MS = 10_000;
const RECONNECT_FIRST_MS = 50;
const RECONNECT_LAST_MS = 2_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

type Callback = (payload: string | undefined) => void;

interface ListenerParts {
  readonly schema: string;
  readonly createClient: () => Client;
  readonly mask: Mask;
  readonly logger: Logger | undefined;
}

/**
 * One connection that listens for all callers. It is opened for the first of them, and opened again when it is lost.
 * It does not keep the program alive.
 */
export class NotificationListener {
  readonly #parts: ListenerParts;
  readonly #callbacks = new Map<Channel, Set<Callback>>();
  #connection: Promise<Client> | undefined;
  /** The client that is connected and listens. */
  #current: Client | undefined;
  /** The client that is about to be `#current`. */
  #connecting: Client | undefined;
  #lastAnswer: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(parts: ListenerParts) {
    this.#parts = parts;
  }

  /** Resolves when notifications arrive from now on. */
  async add(channel: Channel, callback: Callback): Promise<() => void> {
    let callbacks = this.#callbacks.get(channel);
    if (callbacks === undefined) {
      callbacks = new Set();
      this.#callbacks.set(channel, callbacks);
    }
    callbacks.add(callback);
    const remove = () => this.#remove(channel, callback);
    // Otherwise a program with nothing else to do would end while it waits for the connection.
    const alive = setInterval(() => {}, LONGEST_TIMER_MS);
    try {
      await this.#listenOn(channel);
    } catch (error) {
      remove();
      throw toDatabaseError(error, this.#parts.mask);
    } finally {
      clearInterval(alive);
    }
    return remove;
  }

  /** Takes at most `limitMs`, also if the server is silent. */
  async close(limitMs: number): Promise<void> {
    this.#isClosed = true;
    this.#callbacks.clear();
    clearTimeout(this.#timer);
    const client = this.#current;
    this.#current = undefined;
    this.#connection = undefined;
    if (this.#connecting !== undefined) {
      destroyClient(this.#connecting, new Error("Connection terminated"));
    }
    if (client === undefined) return;
    // Otherwise a program with nothing else to do would end in the middle of its `await fleet.close()`.
    (client as Client & { ref(): void }).ref();
    await endWithin(client, limitMs);
  }

  #remove(channel: Channel, callback: Callback): void {
    this.#callbacks.get(channel)?.delete(callback);
  }

  async #listenOn(channel: Channel): Promise<void> {
    const client = await this.#connected();
    try {
      await this.#run(client, this.#listenTo(channel));
    } catch (error) {
      this.#onLost(client);
      throw error;
    }
  }

  /** One statement after the other: pg warns of a client that gets a second one before the first has ended. */
  #run(client: Client, text: string): Promise<unknown> {
    const answer = this.#lastAnswer.then(() => client.query(limited(text)));
    this.#lastAnswer = answer.catch(() => undefined);
    return answer;
  }

  #connected(): Promise<Client> {
    this.#connection ??= this.#connect().catch((error: unknown) => {
      this.#connection = undefined;
      throw error;
    });
    return this.#connection;
  }

  async #connect(): Promise<Client> {
    const client = this.#parts.createClient();
    client.on("notification", ({ channel, payload }) => this.#deliver(channel, payload ?? ""));
    client.on("error", () => this.#onLost(client));
    client.on("end", () => this.#onLost(client));
    this.#connecting = client;
    try {
      await connectWithin(client, CONNECT_TIMEOUT_MS);
      (client as Client & { unref(): void }).unref();
      for (const channel of this.#callbacks.keys()) {
        await client.query(limited(this.#listenTo(channel)));
      }
      if (this.#isClosed) throw new HawserError("closed", "The database is closed.");
    } catch (error) {
      destroyClient(client);
      throw error;
    } finally {
      this.#connecting = undefined;
    }
    this.#current = client;
    this.#checkLater(client);
    return client;
  }

  #checkLater(client: Client): void {
    this.#timer = setTimeout(() => {
      this.#run(client, "select 1").then(
        () => {
          if (this.#current === client) this.#checkLater(client);
        },
        () => this.#onLost(client),
      );
    }, CHECK_EVERY_MS).unref();
  }

  #onLost(client: Client): void {
    if (this.#current !== client) return;
    this.#current = undefined;
    this.#connection = undefined;
    clearTimeout(this.#timer);
    destroyClient(client);
    if (this.#isClosed) return;
    this.#parts.logger?.debug("The connection that listens to the database was lost.");
    this.#reconnect(RECONNECT_FIRST_MS);
  }

  #reconnect(delayMs: number): void {
    this.#timer = setTimeout(() => {
      if (this.#isClosed) return;
      this.#connected().then(
        () => this.#tellAll(),
        () => this.#reconnect(Math.min(delayMs * 2, RECONNECT_LAST_MS)),
      );
    }, delayMs).unref();
  }

  #tellAll(): void {
    for (const callbacks of this.#callbacks.values()) call(callbacks, undefined);
  }

  #deliver(name: string, payload: string): void {
    for (const [channel, callbacks] of this.#callbacks) {
      if (this.#nameOf(channel) === name) call(callbacks, payload);
    }
  }

  #listenTo(channel: Channel): string {
    return `listen ${quoteName(this.#nameOf(channel))}`;
  }

  #nameOf(channel: Channel): string {
    return `${this.#parts.schema}_${channel}`;
  }
}

/** `query_timeout` is missing in the types of pg. Without it, a silent network would let the statement wait for ever. */
function limited(text: string): { text: string; query_timeout: number } {
  return { text, query_timeout: CHECK_TIMEOUT_MS };
}

/** A copy, because a callback may remove itself. */
function call(callbacks: ReadonlySet<Callback>, payload: string | undefined): void {
  for (const callback of [...callbacks]) callback(payload);
}
