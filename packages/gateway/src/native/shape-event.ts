import { type CutLimits, cutValue } from "./cut-value.js";
import { EVENT_FIELDS, type EventKind, type NativeEvent } from "./event-shape.js";
import { maskedEnd, maskedStart } from "./masked-text.js";

/** An object with fields of any kind, such as an event of a channel. */
export type Fields = Readonly<Record<string, unknown>>;

/** The fields of an event that name what it belongs to. */
export interface EventNames {
  readonly id: string;
  readonly at: number;
  readonly tenant: string | undefined;
  readonly call: unknown;
  readonly session: string | undefined;
  readonly sessionId: unknown;
  readonly turn: unknown;
}

/**
 * Makes an event of the API from the fields of an event of a channel. It takes the fields that the table names,
 * cuts values and masks secrets.
 */
export function shapeEvent(
  kind: EventKind,
  names: EventNames,
  fields: Fields,
  mask: (text: string) => string,
  limits?: CutLimits,
): NativeEvent {
  const cut: string[] = [];
  const event: Record<string, unknown> = { id: names.id, kind, at: rounded(names.at) };
  for (const name of ["tenant", "call", "session", "sessionId", "turn"] as const) {
    if (names[name] !== undefined) event[name] = names[name];
  }
  for (const [name, type] of Object.entries(EVENT_FIELDS[kind])) {
    const value = fields[name];
    if (value === undefined) continue;
    if (type.startsWith("value")) {
      const small = cutValue(value, name, mask, limits);
      event[name] = small.value;
      cut.push(...small.cut);
    } else if (type.startsWith("error")) event[name] = errorShape(value, mask);
    else event[name] = plain(name, value, mask);
  }
  if (cut.length > 0) event["cut"] = cut.slice(0, MOST_PATHS);
  // The table says which fields there are, and the channels say which types they have.
  return event as unknown as NativeEvent;
}

const MOST_PATHS = 50;
const LONGEST_TEXT = 65_536;
const LONGEST_TAIL = 4000;

function plain(name: string, value: unknown, mask: (text: string) => string): unknown {
  // A cost can be smaller than what is left of a time.
  if (typeof value === "number") return /ms$/i.test(name) ? rounded(value) : value;
  if (typeof value === "string") return maskedStart(value, LONGEST_TEXT, mask);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  // The tokens, some of which can be undefined.
  return Object.fromEntries(Object.entries(value).filter(([, count]) => count !== undefined));
}

/** Microseconds are enough. */
function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function errorShape(error: unknown, mask: (text: string) => string): Fields {
  const facts: Fields = typeof error === "object" && error !== null ? { ...error } : {};
  const message = error instanceof Error ? error.message : String(error);
  const shape: Record<string, unknown> = {
    code: typeof facts["code"] === "string" ? facts["code"] : "internal",
    message: maskedStart(message, LONGEST_TEXT, mask),
  };
  for (const name of ["hint", "phase", "signal"]) {
    const value = facts[name];
    if (typeof value === "string") shape[name] = maskedStart(value, LONGEST_TEXT, mask);
  }
  for (const name of ["exitCode", "apiStatus"]) {
    if (typeof facts[name] === "number") shape[name] = facts[name];
  }
  if (typeof facts["retryable"] === "boolean") shape["retryable"] = facts["retryable"];
  const tail = facts["stderrTail"];
  if (typeof tail === "string" && tail !== "") {
    shape["stderrTail"] = maskedEnd(tail, LONGEST_TAIL, mask);
  }
  return shape;
}
