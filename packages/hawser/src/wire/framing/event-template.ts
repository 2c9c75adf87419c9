import type { StreamEvent } from "../message/stream-event.js";

/** Bytes, and the same bytes as a view that reads four of them at once. */
export interface Bytes {
  readonly buffer: Buffer;
  readonly view: DataView;
}

/**
 * The shape of the lines that carry the pieces of one content block. Such lines come by the thousand and
 * differ only in the piece and in their uuid. A template compares everything else as bytes, and builds
 * the event from a model. It decodes a line only if the result is what JSON.parse gives; it leaves every
 * other line to JSON.parse.
 */
export class EventTemplate {
  /** The end of the line that was decoded last, without its LF. */
  end = 0;
  /** The same for all lines of this shape, and for no other line. */
  readonly shape: string;
  readonly #head: Literal;
  readonly #middle: Literal;
  readonly #tail: Literal;
  readonly #model: DeltaEvent;
  readonly #build: Build;

  /** The line is `head`, the piece, `middle`, the uuid and `tail`. */
  constructor(cut: Cut, model: DeltaEvent, build: Build) {
    const [head, middle, tail] = cut;
    this.shape = shapeOf(cut);
    this.#head = new Literal(head);
    this.#middle = new Literal(middle);
    this.#tail = new Literal(`${tail}\n`);
    this.#model = model;
    this.#build = build;
  }

  /** The event of the line that begins at `at`, if the line is complete and has this shape. */
  decode(bytes: Bytes, at: number): StreamEvent | undefined {
    if (!this.#head.matches(bytes, at)) return undefined;
    const { buffer } = bytes;
    const from = at + this.#head.length;
    const plainTo = endOfPlain(buffer, from);
    const to = buffer[plainTo] === QUOTE ? plainTo : endOfString(buffer, plainTo);
    if (!this.#middle.matches(bytes, to)) return undefined;
    const uuidFrom = to + this.#middle.length;
    const uuidTo = endOfPlain(buffer, uuidFrom);
    if (!this.#tail.matches(bytes, uuidTo)) return undefined;
    const piece =
      to === plainTo ? buffer.toString("latin1", from, to) : parseString(buffer, from, to);
    if (piece === undefined) return undefined;
    this.end = uuidTo + this.#tail.length - 1;
    return this.#build(this.#model, piece, buffer.toString("latin1", uuidFrom, uuidTo));
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

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The end of the characters that JSON writes as one byte each, as they are. */
function endOfPlain(bytes: Buffer, from: number): number {
  const { length } = bytes;
  let at = from;
  while (at < length) {
    const byte = bytes[at] as number;
    if (byte === QUOTE || byte === BACKSLASH || byte < 0x20 || byte > 0x7e) break;
    at += 1;
  }
  return at;
}

/** The closing quote of a string. `from` is inside of the string, but not inside of an escape sequence. */
function endOfString(bytes: Buffer, from: number): number {
  const { length } = bytes;
  let at = from;
  while (at < length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** The value of a string with escape sequences or other characters than ASCII. */
function parseString(bytes: Buffer, from: number, to: number): string | undefined {
  try {
    return JSON.parse(bytes.toString("utf8", from - 1, to + 1)) as string;
  } catch {
    return undefined;
  }
}

/** Bytes that every line of a template has. They are compared in words of four bytes, which is fastest. */
class Literal {
  readonly length: number;
  readonly #words: Int32Array;
  readonly #rest: Buffer;

  constructor(text: string) {
    const bytes = Buffer.from(text);
    this.length = bytes.length;
    this.#words = new Int32Array(bytes.length >> 2);
    for (let i = 0; i < this.#words.length; i++) this.#words[i] = bytes.readInt32LE(4 * i);
    this.#rest = bytes.subarray(4 * this.#words.length);
  }

  matches({ buffer, view }: Bytes, from: number): boolean {
    if (from + this.length > buffer.length) return false;
    const words = this.#words;
    let at = from;
    for (let i = 0; i < words.length; i++) {
      if (view.getInt32(at, true) !== words[i]) return false;
      at += 4;
    }
    const rest = this.#rest;
    for (let i = 0; i < rest.length; i++) if (buffer[at + i] !== rest[i]) return false;
    return true;
  }
}
