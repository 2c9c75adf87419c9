import type { Attributes } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";

const KINDS = ["INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"];
const STATUS = ["UNSET", "OK", "ERROR"];

/**
 * The spans as an indented text: name, kind, status, attributes and events, children below their parents. Ids and
 * times are masked, so that the text is the same in every run.
 */
export function spanTree(spans: readonly ReadableSpan[]): string {
  const masks = new Masks();
  const known = new Set(spans.map((span) => span.spanContext().spanId));
  const lines: string[] = [];
  const show = (span: ReadableSpan, depth: number) => {
    const indent = "  ".repeat(depth);
    const { code, message } = span.status;
    const status = `${STATUS[code]}${message === undefined ? "" : ` "${message}"`}`;
    lines.push(`${indent}${span.name} · ${KINDS[span.kind]} · ${status}`);
    for (const line of attributeLines(span.attributes, masks)) lines.push(`${indent}    ${line}`);
    for (const { name, attributes = {} } of span.events) {
      lines.push(`${indent}    event ${name}: ${attributeLines(attributes, masks).join(", ")}`);
    }
    for (const child of childrenOf(spans, span)) show(child, depth + 1);
  };
  const roots = spans.filter(({ parentSpanContext: parent }) => {
    return parent === undefined || !known.has(parent.spanId);
  });
  for (const root of byStart(roots)) show(root, 0);
  return `${lines.join("\n")}\n`;
}

/** The spans whose parent is this one, in the order of their starts. */
export function childrenOf(
  spans: readonly ReadableSpan[],
  parent: ReadableSpan,
): readonly ReadableSpan[] {
  const { spanId } = parent.spanContext();
  return byStart(spans.filter((span) => span.parentSpanContext?.spanId === spanId));
}

function byStart(spans: readonly ReadableSpan[]): readonly ReadableSpan[] {
  const at = ({ startTime: [seconds, nanos] }: ReadableSpan) => seconds * 1e9 + nanos;
  return [...spans].sort((a, b) => at(a) - at(b));
}

function attributeLines(attributes: Attributes, masks: Masks): string[] {
  return Object.entries(attributes)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key} = ${masks.shown(key, value)}`);
}

/** Attributes with times, which differ in each run. */
const TIMES = /(?:_ms|time_to_first_chunk)$/;
const IDS = [
  "gen_ai.conversation.id",
  "gen_ai.response.id",
  "gen_ai.tool.call.id",
  "hawser.request.id",
];

class Masks {
  readonly #seen = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  shown(key: string, value: Attributes[string]): string {
    if (TIMES.test(key)) return typeof value === "number" && value >= 0 ? "…" : `bad: ${value}`;
    if (!IDS.includes(key)) return JSON.stringify(value);
    const id = `${key} ${value}`;
    const known = this.#seen.get(id);
    if (known !== undefined) return known;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    const name = `${key.split(".").at(-2)}-${count}`;
    this.#seen.set(id, name);
    return name;
  }
}
