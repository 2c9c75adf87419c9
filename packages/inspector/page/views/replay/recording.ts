import { contentText, firstLine } from "../../base/content-text.js";
import { isObject, type JsonObject, numberField, objectOf, textField } from "../../base/json.js";
import { toolSummary } from "../../base/tool-summary.js";

/** One moment of a recording. */
export interface Moment {
  readonly key: string;
  /** Milliseconds since the start of the recording. */
  readonly ms: number;
  /** Milliseconds on the time line, on which long pauses are short. */
  readonly shownMs: number;
  /** Who said it: the program, the model by the CLI, stderr, or the process itself. */
  readonly lane: Lane;
  readonly title: string;
  readonly text: string;
  /** What was recorded. */
  readonly value: unknown;
}

export const LANES = ["input", "output", "stderr", "process"] as const;
export type Lane = (typeof LANES)[number];

export interface Recording {
  readonly name: string;
  readonly kind: "cassette" | "transcript";
  readonly moments: readonly Moment[];
  /** Lines that are not JSON, or that have no time. */
  readonly skipped: number;
}

/** Reads a cassette or a transcript: lines of JSON. Throws if the text is neither. */
export function readRecording(name: string, text: string): Recording {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const values = lines.map(parsed);
  const isCassette = isObject(values[0]) && typeof values[0]["cassette"] === "number";
  const found = isCassette ? cassetteMoments(values.slice(1)) : transcriptMoments(values);
  if (found.length === 0) {
    throw new Error(`${name} is neither a cassette nor a transcript: no line of it has a time.`);
  }
  const skipped = values.length - found.length - (isCassette ? 1 : 0);
  return {
    name,
    kind: isCassette ? "cassette" : "transcript",
    moments: onTimeLine(found),
    skipped,
  };
}

type Found = Omit<Moment, "shownMs" | "key">;

/** The takes of a cassette follow each other, because it does not say how they overlapped. */
function cassetteMoments(values: readonly unknown[]): Found[] {
  const found: Found[] = [];
  const starts = new Map<number, number>();
  let end = 0;
  for (const value of values) {
    const entry = objectOf(value);
    const take = numberField(entry, "take");
    const ms = numberField(entry, "ms");
    const kind = textField(entry, "kind");
    if (take === undefined || ms === undefined || kind === undefined) continue;
    const start = starts.get(take) ?? end;
    starts.set(take, start);
    end = Math.max(end, start + ms);
    found.push({ ms: start + ms, ...cassetteLine(kind, take, entry) });
  }
  return found.sort((a, b) => a.ms - b.ms);
}

function cassetteLine(kind: string, take: number, entry: JsonObject): Omit<Found, "ms"> {
  const line = entry["json"] ?? entry["text"] ?? entry["latin1"];
  switch (kind) {
    case "in":
      return { lane: "input", ...wireText(line), value: line };
    case "out":
      return { lane: "output", ...wireText(line), value: line };
    case "err":
      return { lane: "stderr", title: "stderr", text: contentText(line), value: line };
    default: {
      const { take: _, ms: __, kind: ___, ...facts } = entry;
      return { lane: "process", title: `${kind} of process ${take}`, text: "", value: facts };
    }
  }
}

/** The lines of a transcript that the CLI has written, or the messages that this page has exported. */
function transcriptMoments(values: readonly unknown[]): Found[] {
  const timed = values.flatMap((value) => {
    const at = Date.parse(textField(objectOf(value), "timestamp") ?? "");
    return Number.isNaN(at) ? [] : [{ at, value }];
  });
  timed.sort((a, b) => a.at - b.at);
  const start = timed[0]?.at ?? 0;
  return timed.map(({ at, value }) => {
    const isInput = objectOf(value)["type"] === "user" && !hasToolResult(value);
    const lane: Lane = isInput ? "input" : "output";
    return { ms: at - start, lane, ...wireText(value), value };
  });
}

function hasToolResult(value: unknown): boolean {
  const { content } = objectOf(objectOf(value)["message"]);
  return (
    Array.isArray(content) && content.some((block) => objectOf(block)["type"] === "tool_result")
  );
}

/** What a message of the CLI is, and what it says. */
function wireText(value: unknown): { readonly title: string; readonly text: string } {
  if (!isObject(value)) return { title: "text", text: contentText(value) };
  const type = textField(value, "type") ?? "message";
  const subtype = textField(value, "subtype") ?? textField(objectOf(value["request"]), "subtype");
  const { content } = objectOf(value["message"]);
  const tool = Array.isArray(content)
    ? content.map(objectOf).find((block) => block["type"] === "tool_use")
    : undefined;
  if (tool !== undefined)
    return { title: `tool ${tool["name"]}`, text: toolSummary(tool["input"]) };
  if (type === "stream_event") return streamText(objectOf(value["event"]));
  const text =
    contentText(content) || contentText(value["result"]) || contentText(value["content"]);
  return { title: subtype === undefined ? type : `${type} ${subtype}`, text: firstLine(text, 400) };
}

function streamText(event: JsonObject): { readonly title: string; readonly text: string } {
  const { text, thinking, partial_json } = objectOf(event["delta"]);
  const piece = [text, thinking, partial_json].find((each) => typeof each === "string");
  return { title: `stream ${textField(event, "type") ?? ""}`, text: contentText(piece) };
}

function onTimeLine(found: readonly Found[]): readonly Moment[] {
  let before = 0;
  let shownMs = 0;
  return found.map((each, index) => {
    shownMs += Math.min(Math.max(0, each.ms - before), LONGEST_PAUSE_MS);
    before = Math.max(before, each.ms);
    return { ...each, key: String(index), shownMs };
  });
}

const LONGEST_PAUSE_MS = 3000;

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // The line is counted as skipped.
  }
}
