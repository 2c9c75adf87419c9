import { type Signal, signal } from "@preact/signals";
import type { ShownApproval } from "../../net/approval-shape.js";
import type { Answer } from "./answer-question.js";

/** What the keys can do with the selected card. */
export interface CardControl {
  readonly send: (answer: Answer) => Promise<void>;
  readonly approval: ShownApproval;
  /** False for a question that the page cannot show as a whole, or not yet. */
  readonly canAllow: boolean;
}

/** How the selection has moved because its card is gone. */
export interface Move {
  /** The card that is selected now. */
  readonly to: string | undefined;
  /** Whether the person of this page has answered the card that is gone. */
  readonly isOwnAnswer: boolean;
  /** Whether a form of the card was open, in which a person may have been typing. */
  readonly hadForm: boolean;
}

/** Which card is selected, and which of its forms is open. */
export class Inbox {
  readonly selected: Signal<string | undefined> = signal<string | undefined>(undefined);
  readonly mode: Signal<{ readonly id: string; readonly kind: "edit" | "deny" } | undefined> =
    signal<{ readonly id: string; readonly kind: "edit" | "deny" } | undefined>(undefined);
  readonly #controls = new Map<string, CardControl>();
  /** The questions that the person of this page has answered. */
  readonly #answered = new Set<string>();
  #typingIn: string | undefined;
  /** When the selection moved without a key of the person. */
  #movedAt = 0;
  /** Whether a form has vanished under the person's hands. Then keys decide nothing until a card is chosen. */
  #isUnsure = false;
  /** The last key that was meant for the form that has vanished. */
  #strayKeyAt = 0;

  /** Makes a card reachable by keys. Returns a function that takes this back. */
  offer(id: string, control: CardControl): () => void {
    this.#controls.set(id, control);
    return () => this.#controls.delete(id);
  }

  get control(): CardControl | undefined {
    return this.#controls.get(this.selected.value ?? "");
  }

  select(id: string): void {
    this.#isUnsure = false;
    if (this.selected.value !== id) this.selected.value = id;
  }

  edit(id: string): void {
    this.select(id);
    this.mode.value = { id, kind: "edit" };
  }

  deny(id: string): void {
    this.select(id);
    this.mode.value = { id, kind: "deny" };
  }

  view(id: string): void {
    if (this.mode.value?.id === id) this.mode.value = undefined;
  }

  /** Whether the person of this page has answered the question, so that its card goes soon. */
  setAnswered(id: string, isAnswered: boolean): void {
    if (isAnswered) this.#answered.add(id);
    else this.#answered.delete(id);
  }

  /** The card with the field in which a person types. */
  setTyping(id: string | undefined): void {
    this.#typingIn = id;
  }

  /**
   * Selects another card if the selected one is gone: the card that has taken its place. Returns how the selection
   * moved, if there was one before.
   */
  follow(before: readonly string[], after: readonly string[]): Move | undefined {
    const { value: id } = this.selected;
    if (id !== undefined && after.includes(id)) return undefined;
    const place = id === undefined ? 0 : Math.max(0, before.indexOf(id));
    const to = after[Math.min(place, after.length - 1)];
    if (id === undefined && to === undefined) return undefined;
    this.selected.value = to;
    this.#movedAt = performance.now();
    if (id === undefined) return undefined;
    const isOwnAnswer = this.#answered.delete(id);
    const hadForm = this.mode.value?.id === id || this.#typingIn === id;
    this.view(id);
    this.#typingIn = undefined;
    this.#isUnsure = hadForm && !isOwnAnswer;
    this.#strayKeyAt = performance.now();
    return { to, isOwnAnswer, hadForm };
  }

  /** False after a form has vanished, until a person has chosen a card. */
  get isSure(): boolean {
    return !this.#isUnsure;
  }

  /**
   * Whether a key still belongs to the text that a person was typing into the form that has vanished. This ends with
   * a pause.
   */
  isStrayKey(): boolean {
    if (!this.#isUnsure) return false;
    const now = performance.now();
    const isStray = now - this.#strayKeyAt < PAUSE_MS;
    if (isStray) this.#strayKeyAt = now;
    return isStray;
  }

  /** False for a moment after the selection has moved by itself, so that a key meant for one card allows no other. */
  get isSettled(): boolean {
    return this.isSure && performance.now() - this.#movedAt > SETTLE_MS;
  }
}

const SETTLE_MS = 400;
const PAUSE_MS = 1_000;
