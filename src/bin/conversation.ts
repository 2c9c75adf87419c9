import type { Options } from "../options/index.js";
import { openSession, type Session } from "../session/index.js";
import { getSessionMessages, type TranscriptPlace } from "../transcripts/index.js";
import { isMessage, isResult, type Message, type ResultMessage } from "../wire/index.js";

/** A prompt of the conversation, as one may go back to before it. */
export interface Asked {
  readonly uuid: string;
  readonly text: string;
  /** The last message before it; none before the first one of a session. */
  readonly after: string | undefined;
}

export interface Rewound {
  readonly files: readonly string[];
  /** Why the files could not be put back. */
  readonly problem: string | undefined;
}

export interface Listener {
  onMessage(message: Message): void;
  /** Once the conversation has another session. */
  onOpen(session: Session): void;
}

/**
 * A conversation that outlives its session: after going back, or on to another one, it is a new one.
 * All messages of all of them are told, those of turns that the CLI begins by itself included.
 */
export class Conversation {
  readonly #options: Options;
  readonly #place: TranscriptPlace;
  readonly #listener: Listener;
  #session: Session | undefined;
  #asked: Asked[] = [];
  #last: string | undefined;
  #seen: Seen | undefined;
  #result: ResultMessage | undefined;
  /** Of sessions that were left. */
  #costBefore = 0;

  /** The place is where the CLI keeps the sessions. */
  constructor(options: Options, place: TranscriptPlace, listener: Listener) {
    this.#options = options;
    this.#place = place;
    this.#listener = listener;
  }

  get session(): Session {
    if (this.#session === undefined) throw new TypeError("The conversation is not open.");
    return this.#session;
  }

  get asked(): readonly Asked[] {
    return this.#asked;
  }

  /** The last result; its totals are those of the session. */
  get result(): ResultMessage | undefined {
    return this.#result;
  }

  get costUsd(): number {
    return this.#costBefore + (this.#result?.total_cost_usd ?? 0);
  }

  async open(more: Options = {}): Promise<void> {
    this.#begin(await openSession({ ...this.#options, ...more }));
  }

  #begin(session: Session): void {
    this.#session = session;
    this.#listener.onOpen(session);
    void this.#read(session);
  }

  /**
   * Sends a prompt. Commands of the CLI and `@path` work in what a person typed, and not in what a
   * program writes. Resolves when the turn has ended and everything was shown; rejects with the turn's
   * error.
   */
  async send(text: string): Promise<void> {
    // Several lines that begin with a slash are rather a log than a command, and `/clear` forgets all.
    const isLog = text.startsWith("/") && text.includes("\n");
    const turn = this.session.send(text, { commands: process.stdin.isTTY === true && !isLog });
    this.#asked.push({ uuid: turn.uuid, text, after: this.#last });
    try {
      await this.#untilSeen(await turn.result);
    } finally {
      // What the result itself reports as a failure is thrown here.
      await turn.text();
    }
  }

  /** Puts files and conversation back to before a prompt. */
  async rewind(to: Asked): Promise<Rewound> {
    // Only a trial says which files there are.
    const trial = await this.session.rewindFiles(to.uuid, { dryRun: true });
    const { canRewind, error } = await this.session.rewindFiles(to.uuid);
    const place = this.#asked.indexOf(to);
    const { id } = this.session;
    const before = this.#asked.slice(0, place);
    const resumeSessionAt = to.after ?? (id && (await this.#before(to, id)));
    await this.#leave();
    if (id === undefined || resumeSessionAt === undefined) await this.open(FRESH);
    else await this.open({ ...FRESH, resume: id, resumeSessionAt, forkSession: true });
    this.#asked = before;
    this.#last = resumeSessionAt;
    return {
      files: canRewind ? (trial.filesChanged ?? []) : [],
      problem: canRewind ? undefined : (error ?? "not known why"),
    };
  }

  /** If there is no such session, the conversation stays where it is. */
  async goOnWith(sessionId: string): Promise<void> {
    const session = await openSession({ ...this.#options, ...FRESH, resume: sessionId });
    await this.#leave();
    this.#begin(session);
  }

  async close(): Promise<void> {
    await this.#session?.close();
  }

  /** The message before the first prompt that was sent here: there is one in a resumed session. */
  async #before({ uuid }: Asked, id: string): Promise<string | undefined> {
    const messages = await getSessionMessages(id, this.#place);
    const place = messages.findIndex((message) => message.uuid === uuid);
    return place > 0 ? messages[place - 1]?.uuid : undefined;
  }

  async #leave(): Promise<void> {
    this.#costBefore = this.costUsd;
    await this.close();
    this.#result = undefined;
    this.#asked = [];
    this.#last = undefined;
  }

  async #read(session: Session): Promise<void> {
    try {
      for await (const message of session) {
        if (session === this.#session) this.#note(message);
        this.#listener.onMessage(message);
        if (isResult(message)) this.#tellSeen(message);
      }
    } catch {
      // How the session ended, whoever sent the last prompt is told.
    }
    this.#tellSeen();
  }

  #note(message: Message): void {
    if (isResult(message)) this.#result = message;
    if (isMessage(message, "assistant") && message.parent_tool_use_id === null) {
      this.#last = message.uuid;
    }
  }

  #untilSeen(result: ResultMessage): Promise<void> {
    if (this.#result?.uuid === result.uuid) return Promise.resolve();
    return new Promise((resolve) => {
      this.#seen = { uuid: result.uuid, resolve };
    });
  }

  /** Without a result: there will be none any more. */
  #tellSeen(result?: ResultMessage): void {
    if (result !== undefined && result.uuid !== this.#seen?.uuid) return;
    this.#seen?.resolve();
    this.#seen = undefined;
  }
}

interface Seen {
  readonly uuid: string;
  readonly resolve: () => void;
}

/** What held for the first session only. */
const FRESH: Options = { continue: undefined, resume: undefined, forkSession: undefined };
