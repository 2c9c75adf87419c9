import type { McpServerConfig, Options } from "../options/index.js";
import { PendingWork, usesHostCallbacks } from "../session/index.js";
import { isSystem, type Message } from "../wire/index.js";
import { PromptTracker } from "./prompt-tracker.js";

/** What the CLI still has to do, and whether it may need this side's input for it. */
export class InputPolicy {
  readonly #activity: PendingWork;
  readonly #unanswered: PromptTracker;
  #isGuarded: boolean;
  #isText = false;
  #asked = false;
  #tellsState = false;

  constructor(options: Options, onChange: () => void) {
    this.#isGuarded = usesHostCallbacks(options);
    this.#activity = new PendingWork(onChange);
    this.#unanswered = new PromptTracker(onChange);
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
    return this.#activity.inTurn || this.#unanswered.awaitsResult;
  }

  get isDone(): boolean {
    return !this.#asked && !this.#unanswered.awaitsResult && this.#activity.isQuiet;
  }

  /**
   * As the official SDK does, but never while work in the background may still need an answer:
   * without an open input, every hook, permission and tool call of this side would fail.
   */
  get needsNoInput(): boolean {
    if (this.#isGuarded) return this.isDone;
    return !this.#asked && !(this.#isText && this.#unanswered.awaitsResult);
  }

  /** Of a text, unlike of an iterable, the first result is the end. */
  setText(isText: boolean): void {
    this.#isText = isText;
  }

  setServers(servers: Readonly<Record<string, McpServerConfig>>): void {
    this.#isGuarded ||= usesHostCallbacks({ mcpServers: servers });
  }

  addPrompt(): void {
    this.#unanswered.add();
  }

  removePrompt(): void {
    this.#unanswered.removeLast();
  }

  setHostRequests(pending: number): void {
    this.#asked = pending > 0;
    this.#unanswered.setHostRequests(this.#asked);
  }

  observe(message: Message): void {
    if (isSystem(message, "session_state_changed")) this.#tellsState = true;
    this.#unanswered.observe(message);
    this.#activity.observe(message);
  }

  /** A result that was lost is waited for no longer. */
  forgetPrompts(): void {
    this.#unanswered.clear();
  }

  /** The process is gone. */
  clear(): void {
    this.#asked = false;
    this.#unanswered.clear();
    this.#activity.clear();
  }
}
