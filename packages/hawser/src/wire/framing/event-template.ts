import type { StreamEvent } from "../message/stream-event.js";

/**
 * The shape of the lines that carry the pieces of one content block. Such lines come by the thousand and
 * differ only in the piece and in their uuid. A template compares everything else, and builds the event
 * from a model. It decodes a line only if the result is what JSON.parse gives; it leaves every other line
 * to JSON.parse.
 */
export class EventTemplate {
  /** Names the shape: two templates with the same name decode the same lines. */
  readonly shape: string;
  readonly #cut: Cut;
  readonly #model: DeltaEvent;
  readonly #build: Build;

  /** The line is `head`, the piece, `middle`, the uuid and `tail`. */
  constructor(cut: Cut, model: DeltaEvent, build: Build) {
    this.shape = shapeOf(cut);
    this.#cut = cut;
    this.#model = model;
    this.#build = build;
  }

  /**
   * Decodes the lines from `from` on, as far as they have this shape and are not longer than `limit`.
   * Adds their events, and returns where the next line begins. The text is Latin-1: a character is a byte.
   *
   * It is one function, because in a young program the compiler takes longer for a few small functions
   * than the function takes for all lines. A slice that is compared with `===` is the fastest comparison.
   */
  decode(text: string, from: number, limit: number, events: StreamEvent[]): number {
    const [head, middle, tail] = this.#cut;
    let at = from;
    while (at < text.length) {
      const pieceFrom = at + head.length;
      if (text.slice(at, pieceFrom) !== head) break;
      let pieceTo = text.indexOf('"', pieceFrom);
      if (text.charCodeAt(pieceTo - 1) === BACKSLASH) pieceTo = closingQuote(text, pieceFrom);
      const uuidFrom = pieceTo + middle.length;
      if (pieceTo < 0 || text.slice(pieceTo, uuidFrom) !== middle) break;
      const uuidTo = text.indexOf('"', uuidFrom);
      const end = uuidTo + tail.length;
      if (uuidTo < 0 || text.slice(uuidTo, end) !== tail || end - at > limit) break;
      if (end < text.length && text.charCodeAt(end) !== LF) break;
      const uuid = text.slice(uuidFrom, uuidTo);
      let piece: string | undefined = text.slice(pieceFrom, pieceTo);
      if (NEEDS_PARSING.test(piece)) piece = parseString(piece);
      if (piece === undefined || NEEDS_PARSING.test(uuid)) break;
      events.push(this.#build(this.#model, piece, uuid));
      at = end + 1;
    }
    return at;
  }
}

/**
 * The template of a line that JSON.parse has decoded; undefined if the line is no piece of a content block,
 * is written in an unusual way, or has a known shape. JSON has no context: if a string is replaced by
 * another string, only its own value changes. So one line with other strings shows whether the template is
 * right for all.
 */
export function learnTemplate(
  line: string,
  message: StreamEvent,
  known: readonly EventTemplate[],
): EventTemplate | undefined {
  if (!isDelta(message)) return undefined;
  const { uuid, event } = message;
  const field = FIELDS.find((name) => typeof event.delta[name] === "string");
  const piece = field && event.delta[field];
  const cut = field && cutLine(line, field);
  if (field === undefined || cut === undefined || piece === undefined) return undefined;
  const shape = shapeOf(cut);
  if (known.some((template) => template.shape === shape)) return undefined;
  const [head, middle, tail] = cut;
  const model: unknown = JSON.parse(`${head}${PROBE_PIECE}${middle}${PROBE_UUID}${tail}`);
  if (!isDelta(model as StreamEvent)) return undefined;
  const sample = model as DeltaEvent;
  if (sample.event.delta[field] !== PROBE_PIECE || sample.uuid !== PROBE_UUID) return undefined;
  const build = BUILD[field];
  const rebuilt = build(sample, piece, uuid);
  if (JSON.stringify(rebuilt) !== JSON.stringify(message)) return undefined;
  return new EventTemplate(cut, sample, build);
}

type Field = "text" | "thinking" | "partial_json";

/** Builds an event that is like the model in everything but the piece and the uuid, also in its order of keys. */
type Build = (model: DeltaEvent, piece: string, uuid: string) => StreamEvent;

type DeltaEvent = StreamEvent & {
  readonly event: { readonly delta: { readonly [name in Field]?: string } };
};

type Cut = readonly [head: string, middle: string, tail: string];

const BUILD: Readonly<Record<Field, Build>> = {
  text: (model, text, uuid) =>
    ({
      ...model,
      event: { ...model.event, delta: { ...model.event.delta, text } },
      uuid,
    }) as StreamEvent,
  thinking: (model, thinking, uuid) =>
    ({
      ...model,
      event: { ...model.event, delta: { ...model.event.delta, thinking } },
      uuid,
    }) as StreamEvent,
  partial_json: (model, partial_json, uuid) =>
    ({
      ...model,
      event: { ...model.event, delta: { ...model.event.delta, partial_json } },
      uuid,
    }) as StreamEvent,
};

const FIELDS: readonly Field[] = ["text", "thinking", "partial_json"];
const PROBE_PIECE = "hawser probes a piece";
const PROBE_UUID = "hawser probes a uuid";

/** A template of a longer line would save less, and would hold more memory. */
const LONGEST_LITERALS = 2048;

/**
 * Whether the message is a piece of a content block that can be built from a model. Any other object in it
 * would be shared by all events of the template, so that a reader could change them all.
 */
function isDelta(message: StreamEvent): message is DeltaEvent {
  const event: unknown = message.event;
  if (!isRecord(event) || event["type"] !== "content_block_delta") return false;
  const { delta } = event;
  if (!isRecord(delta) || typeof message.uuid !== "string") return false;
  return holdsOnly(message, event) && holdsOnly(event, delta) && holdsOnly(delta);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Whether `inner` is the only object among the values. */
function holdsOnly(outer: object, inner?: object): boolean {
  return Object.values(outer).every((value) => value === inner || !isRecord(value));
}

/** Cuts the line at its piece and its uuid. They may be the wrong strings; the caller finds out. */
function cutLine(line: string, field: Field): Cut | undefined {
  const pieceFrom = afterKey(line, field, 0);
  const pieceTo = closingQuote(line, pieceFrom);
  const uuidFrom = afterKey(line, "uuid", pieceTo);
  const uuidTo = closingQuote(line, uuidFrom);
  if (pieceFrom < 0 || pieceTo < 0 || uuidFrom < 0 || uuidTo < 0) return undefined;
  const cut = [
    line.slice(0, pieceFrom),
    line.slice(pieceTo, uuidFrom),
    line.slice(uuidTo),
  ] as const;
  return cut.join("").length > LONGEST_LITERALS ? undefined : cut;
}

function afterKey(line: string, key: string, from: number): number {
  const start = `"${key}":"`;
  const at = from < 0 ? -1 : line.indexOf(start, from);
  return at < 0 ? -1 : at + start.length;
}

function closingQuote(line: string, from: number): number {
  if (from < 0) return -1;
  let at = line.indexOf('"', from);
  while (at >= 0 && isEscaped(line, at)) at = line.indexOf('"', at + 1);
  return at;
}

function isEscaped(line: string, at: number): boolean {
  let backslashes = 0;
  while (line[at - 1 - backslashes] === "\\") backslashes += 1;
  return backslashes % 2 === 1;
}

/** No line contains an LF. */
function shapeOf(cut: Cut): string {
  return cut.join("\n");
}

const BACKSLASH = 0x5c;
const LF = 0x0a;

/** Finds a character that JSON escapes, or that is not ASCII. */
const NEEDS_PARSING = /[^ !#-[\]-~]/;

/** The value of a string, which is given as Latin-1 and without its quotes; undefined if it is not valid. */
function parseString(text: string): string | undefined {
  try {
    return JSON.parse(Buffer.from(`"${text}"`, "latin1").toString()) as string;
  } catch {
    return undefined;
  }
}
