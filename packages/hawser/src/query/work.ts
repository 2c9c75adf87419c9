import type { McpServerConfig, Options } from "../options/index.js";
import { Activity, isAsked } from "../session/index.js";
import { isSystem, type Message } from "../wire/index.js";
import { Unanswered } from "./unanswered.js";

/** What the CLI still has to do, and whether it may need this side's input for it. */
export class Work {
  readonly #activity: Activity;
  readonly #unanswered: Unanswered;
  #isGuarded: boolean;
  #isText = false;
  #asked = false;
  #tellsState = false;

  constructor(options: Options, onChange: () => void) {
    this.#isGuarded = isAsked(options);
    this.#activity = new Activity(onChange);
    this.#unanswered = new Unanswered(onChange);
  }

  /** Whether the CLI asks this side. Once its input has ended, it may go on without asking. */
  get isGuarded(): boolean {
    return this.#isGuarded;
  }

  /** Whether the CLI says by itself when it is idle, so that a lost result does no harm. */
  get tellsState(): boolean {
    return this.#tellsState;
  }

  get awaitsResult(): boolean {
    return this.#activity.inTurn || this.#unanswered.any;
  }

  get isDone(): boolean {
    return !this.#asked && !this.#unanswered.any && this.#activity.quiet;
  }

  /**
   * As the official SDK does, but never while work in the background may still need an answer:
   * without an open input, every hook, permission and tool call of this side would fail.
   */
  get needsNoInput(): boolean {
    if (this.#isGuarded) return this.isDone;
    return !this.#asked && !(this.#isText && this.#unanswered.any);
  }

  /** Of a text, unlike of an iterable, the first result is the end. */
  setText(isText: boolean): void {
    this.#isText = isText;
  }

  setServers(servers: Readonly<Record<string, McpServerConfig>>): void {
    this.#isGuarded ||= isAsked({ mcpServers: servers });
  }

  sent(): void {
    this.#unanswered.sent();
  }

  unsent(): void {
    this.#unanswered.unsent();
  }

  asked(pending: number): void {
    this.#asked = pending > 0;
    this.#unanswered.asked(this.#asked);
  }

  see(message: Message): void {
    if (isSystem(message, "session_state_changed")) this.#tellsState = true;
    this.#unanswered.see(message);
    this.#activity.see(message);
  }

  /** A result that was lost is waited for no longer. */
  forget(): void {
    this.#unanswered.forget();
  }

  /** The process is gone. */
  end(): void {
    this.#asked = false;
    this.#unanswered.forget();
    this.#activity.end();
  }
}
