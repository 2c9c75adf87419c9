import type { Options } from "../../options/index.js";
import { openSession, type Session } from "../../session/index.js";
import { getSessionMessages, type TranscriptPlace } from "../../transcripts/index.js";
import {
  isMessage,
  isResult,
  isSystem,
  type Message,
  type ResultMessage,
} from "../../wire/index.js";
import { ChatCost } from "./chat-cost.js";

/** A prompt of the conversation, with the point to rewind to. */
export interface SentPrompt {
  readonly uuid: string;
  readonly text: string;
  /** The uuid of the last message before the prompt; undefined for the first prompt of a session. */
  readonly after: string | undefined;
}

export interface RewindOutcome {
  readonly files: readonly string[];
  /** Why the files could not be put back. */
  readonly problem: string | undefined;
}

export interface ConversationListener {
  onMessage(message: Message): void;
  /** Called for the first session and for each one that replaces it. */
  onOpen(session: Session): void;
}

/**
 * A conversation that outlives its session: rewinding, or switching to another conversation, opens a new
 * session. The listener gets all messages of all sessions, including those of turns that the CLI begins
 * by itself.
 */
export class Conversation {
  readonly #options: Options;
  readonly #place: TranscriptPlace;
  readonly #listener: ConversationListener;
  #session: Session | undefined;
  #asked: SentPrompt[] = [];
  #last: string | undefined;
  #seen: Seen | undefined;
  #result: ResultMessage | undefined;
  /** The CLI's commands, as the newest turn found them. */
  #commands: readonly string[] = [];
  /** The cost of this session and of all earlier ones since the program began. */
  readonly cost: ChatCost = new ChatCost();

  /** `place` is the folder where the CLI keeps the sessions. */
  constructor(options: Options, place: TranscriptPlace, listener: ConversationListener) {
    this.#options = options;
    this.#place = place;
    this.#listener = listener;
  }

  get session(): Session {
    if (this.#session === undefined) throw new TypeError("The conversation is not open.");
    return this.#session;
  }

  get prompts(): readonly SentPrompt[] {
    return this.#asked;
  }

  /** The names of the CLI's commands, without the slash. */
  get commands(): readonly string[] {
    const told = this.session.info.commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    return [...new Set([...told, ...this.#commands])];
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
   * Sends a prompt. With `commands`, the CLI's commands and `@path` work in it. Resolves when the turn
   * has ended and everything was shown; rejects with the turn's error. `onResult` gets the CLI's result,
   * also one that reports a failure.
   */
  async send(
    text: string,
    { commands, onResult }: { commands: boolean; onResult(result: ResultMessage): void },
  ): Promise<void> {
    const turn = this.session.send(text, { commands });
    this.#asked.push({ uuid: turn.uuid, text, after: this.#last });
    try {
      const result = await turn.result;
      await this.#untilSeen(result);
      onResult(result);
    } catch (error) {
      this.cost.markIncomplete();
      throw error;
    } finally {
      // A failure that the result itself reports is thrown here.
      await turn.text();
    }
  }

  /** Puts files and conversation back to before a prompt. */
  async rewind(to: SentPrompt): Promise<RewindOutcome> {
    // Only a dry run says which files would change.
    const trial = await this.session.rewindFiles(to.uuid, { dryRun: true });
    const { canRewind, error } = await this.session.rewindFiles(to.uuid);
    const place = this.#asked.indexOf(to);
    const { id } = this.session;
    const before = this.#asked.slice(0, place);
    const resumeSessionAt = to.after ?? (id && (await this.#before(to, id)));
    await this.#closeSession();
    if (id === undefined || resumeSessionAt === undefined) await this.open(FRESH);
    else await this.open({ ...FRESH, resume: id, resumeSessionAt, forkSession: true });
    this.#asked = before;
    this.#last = resumeSessionAt;
    return {
      files: canRewind ? (trial.filesChanged ?? []) : [],
      problem: canRewind ? undefined : (error ?? "not known why"),
    };
  }

  /** Goes on with another session. If it does not exist, the conversation keeps its session. */
  async switchTo(sessionId: string): Promise<void> {
    const session = await openSession({ ...this.#options, ...FRESH, resume: sessionId });
    await this.#closeSession();
    this.#begin(session);
  }

  async close(): Promise<void> {
    await this.#session?.close();
  }

  /** The message before the first prompt that was sent here: there is one in a resumed session. */
  async #before({ uuid }: SentPrompt, id: string): Promise<string | undefined> {
    const messages = await getSessionMessages(id, this.#place);
    const place = messages.findIndex((message) => message.uuid === uuid);
    return place > 0 ? messages[place - 1]?.uuid : undefined;
  }

  async #closeSession(): Promise<void> {
    await this.close();
    this.#result = undefined;
    this.#asked = [];
    this.#last = undefined;
  }

  async #read(session: Session): Promise<void> {
    try {
      for await (const message of session) {
        if (isResult(message)) this.cost.add(message);
        if (session === this.#session) this.#note(message);
        this.#listener.onMessage(message);
        if (isResult(message)) this.#tellSeen(message);
      }
    } catch {
      // The turn that was sent last rejects with the reason.
    }
    this.#tellSeen();
  }

  #note(message: Message): void {
    if (isResult(message)) this.#result = message;
    if (isSystem(message, "init")) this.#commands = message.slash_commands ?? [];
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

  /** Without a result, the session is over and no result will come. */
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

/** Undoes the options that held for the first session only. */
const FRESH: Options = { continue: undefined, resume: undefined, forkSession: undefined };
