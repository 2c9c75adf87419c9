import type { StreamEvent } from "../message/stream-event.js";
import { type EventTemplate, learnTemplate } from "./event-template.js";

/** The templates of the lines that come most at the moment. */
export class EventTemplates {
  /** The one that was used last comes first, because the next line is most likely like the last one. */
  readonly #templates: EventTemplate[] = [];
  /** How many lines were to be learned since a template was of use. */
  #unused = 0;

  /**
   * Decodes the lines from `from` on, as far as there are templates for them. Adds their events, and
   * returns where the next line begins.
   */
  decode(text: string, from: number, limit: number, events: StreamEvent[]): number {
    let at = from;
    for (let i = 0; i < this.#templates.length; i++) {
      const template = this.#templates[i] as EventTemplate;
      const next = template.decode(text, at, limit, events);
      if (next === at) continue;
      at = next;
      this.#unused = 0;
      this.#use(i);
      i = 0;
    }
    return at;
  }

  /** To be called with an event that had to be parsed. */
  learn(line: string, message: StreamEvent): void {
    this.#unused += 1;
    // To learn costs as much as to parse some lines, so neither a short answer nor shapes that never come
    // again are worth it.
    if (this.#templates.length === 0 && this.#unused < FIRST) return;
    if (this.#unused > PATIENCE && this.#unused % PATIENCE !== 0) return;
    const template = learnTemplate(line, message, this.#templates);
    if (template === undefined) return;
    this.#templates.unshift(template);
    if (this.#templates.length > MOST_TEMPLATES) this.#templates.pop();
  }

  #use(index: number): void {
    if (index > 0) this.#templates.unshift(...this.#templates.splice(index, 1));
  }
}

/** Enough for a few blocks and sub-agents whose pieces arrive mixed. */
const MOST_TEMPLATES = 8;
/** The events before the first piece of text, and some pieces. */
const FIRST = 6;
const PATIENCE = 16;
