import type { McpServerConfig, Options } from "../options/index.js";
import {
  type ClosableWork,
  PendingWork,
  usesHostCallbacks,
  type WorkListener,
} from "../session/index.js";
import { isSystem, type Message } from "../wire/index.js";
import { PromptTracker } from "./prompt-tracker.js";

/** Decides when the input of the CLI may end, by the work that is pending and the prompts that wait. */
export class InputPolicy implements ClosableWork {
  readonly #work: PendingWork;
  readonly #prompts: PromptTracker;
  #isGuarded: boolean;
  #isText = false;
  #tellsState = false;

  constructor(options: Options, listener: WorkListener) {
    this.#isGuarded = usesHostCallbacks(options);
    this.#work = new PendingWork(listener);
    this.#prompts = new PromptTracker(listener);
  }

  /** Whether the CLI asks this side. Once its input has ended, it may continue without asking. */
  get isGuarded(): boolean {
    return this.#isGuarded;
  }

  get needsInterrupt(): boolean {
    return this.#work.inTurn || this.#prompts.awaitsResult;
  }

  get outlivesInput(): boolean {
    return !this.isDone;
  }

  /** Whether the CLI says by itself when it is idle, so that a lost result does no harm. */
  get tellsState(): boolean {
    return this.#tellsState;
  }

  /** Whether nothing is left to do, on either side. */
  get isDone(): boolean {
    return this.#work.hostRequests === 0 && !this.#prompts.awaitsResult && this.#work.isQuiet;
  }

  /**
   * As the official SDK does, but never while background work may still need an answer: without an open
   * input, every hook, permission and tool call of this side would fail.
   */
  get needsNoInput(): boolean {
    if (this.#isGuarded) return this.isDone;
    return this.#work.hostRequests === 0 && !(this.#isText && this.#prompts.awaitsResult);
  }

  /** The first result ends the input of a text. The input of an iterable ends with the iterable. */
  setText(isText: boolean): void {
    this.#isText = isText;
  }

  setServers(servers: Readonly<Record<string, McpServerConfig>>): void {
    this.#isGuarded ||= usesHostCallbacks({ mcpServers: servers });
  }

  /** A prompt is about to be sent. */
  addPrompt(): void {
    this.#prompts.add();
  }

  /** The prompt that was added last could not be written. */
  removePrompt(): void {
    this.#prompts.removeLast();
  }

  /** A result that was lost is waited for no longer. */
  forgetPrompts(): void {
    this.#prompts.clear();
  }

  setHostRequests(pending: number): void {
    this.#work.hostRequests = pending;
    this.#prompts.setHostRequests(pending);
  }

  /** To be called with every message. */
  observe(message: Message): void {
    if (isSystem(message, "session_state_changed")) this.#tellsState = true;
    this.#prompts.observe(message);
    this.#work.observe(message);
  }

  /** The process is gone, and all its work with it. */
  clear(): void {
    this.#prompts.clear();
    this.#work.clear();
  }
}
