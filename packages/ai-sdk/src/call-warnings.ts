import type { SharedV4Warning } from "@ai-sdk/provider";

/** Collects the warnings of one call: what has no effect, and what is only emulated. No warning is listed twice. */
export class CallWarnings {
  readonly #list: SharedV4Warning[] = [];

  /** The warnings so far, as the AI SDK takes them. */
  get list(): SharedV4Warning[] {
    return [...this.#list];
  }

  /** `feature` has no effect. */
  unsupported(feature: string, details: string): void {
    this.#add({ type: "unsupported", feature, details });
  }

  /** `feature` has an effect, but not exactly the one that the AI SDK describes. */
  compatibility(feature: string, details: string): void {
    this.#add({ type: "compatibility", feature, details });
  }

  #add(warning: SharedV4Warning): void {
    const text = JSON.stringify(warning);
    if (this.#list.some((other) => JSON.stringify(other) === text)) return;
    this.#list.push(warning);
  }
}
