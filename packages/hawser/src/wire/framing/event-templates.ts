import type { StreamEvent } from "../message/stream-event.js";
import { type Bytes, type EventTemplate, learnTemplate } from "./event-template.js";

/** The templates of the lines that come most at the moment. */
export class EventTemplates {
  /** The one that was used last comes first, because the next line is most likely like the last one. */
  readonly #templates: EventTemplate[] = [];
  /** How many lines were to be learned since a template was of use. */
  #unused = 0;

  get isEmpty(): boolean {
    return this.#templates.length === 0;
  }

  /** The end of the line that was decoded last, without its LF. */
  get end(): number {
    return this.#templates[0]?.end ?? 0;
  }

  /** The event of the line that begins at `at`; undefined if the line has to be parsed. */
  decode(bytes: Bytes, at: number): StreamEvent | undefined {
    const event = this.#templates[0]?.decode(bytes, at) ?? this.#decodeByOthers(bytes, at);
    if (event !== undefined) this.#unused = 0;
    return event;
  }

  /** To be called with every event that had to be parsed. */
  learn(line: string, message: StreamEvent): void {
    this.#unused += 1;
    // To learn costs as much as to parse some lines, so shapes that never come again are not worth it.
    if (this.#unused > PATIENCE && this.#unused % PATIENCE !== 0) return;
    const template = learnTemplate(line, message, this.#templates);
    if (template === undefined) return;
    this.#templates.unshift(template);
    if (this.#templates.length > MOST_TEMPLATES) this.#templates.pop();
  }

  #decodeByOthers(bytes: Bytes, at: number): StreamEvent | undefined {
    const templates = this.#templates;
    for (let i = 1; i < templates.length; i++) {
      const template = templates[i] as EventTemplate;
      const event = template.decode(bytes, at);
      if (event === undefined) continue;
      templates.splice(i, 1);
      templates.unshift(template);
      return event;
    }
    return undefined;
  }
}

/** Enough for a few blocks and sub-agents whose pieces arrive mixed. */
const MOST_TEMPLATES = 8;
const PATIENCE = 16;
