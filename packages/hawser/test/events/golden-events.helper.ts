import type { Seen } from "./watched-events.helper.js";

/**
 * The events as text, one line each, without what differs from run to run: ids become `turn-1`, `tool-2`,
 * in the order in which they appear, and times become `…`. The events of one session, turn, round or tool
 * stand together, because a question about a tool may come before or after the end of its round.
 */
export function goldenText(seen: readonly Seen[]): string {
  const names = new Map<string, Map<unknown, string>>();
  const rename = (kind: string, value: unknown): string => {
    const known = names.get(kind) ?? new Map<unknown, string>();
    names.set(kind, known);
    const name = known.get(value) ?? `${kind}-${known.size + 1}`;
    known.set(value, name);
    return name;
  };
  const subjects = [...new Set(seen.map(subjectOf))];
  const grouped = subjects.flatMap((subject) => seen.filter((each) => subjectOf(each) === subject));
  const lines = grouped.map(({ channel, event }) => {
    const fields = Object.entries(event).flatMap(([name, value]) => {
      if (name === "at" || value === undefined) return [];
      if (TIMES.has(name)) return `${name}=…`;
      const kind = KINDS[name];
      if (kind !== undefined && value !== null) return `${name}=${rename(kind, value)}`;
      return `${name}=${textOf(name, value)}`;
    });
    return [channel, ...fields].join(" ");
  });
  return `${lines.join("\n")}\n`;
}

/** What an event is about. */
function subjectOf({ channel, event }: Seen): string {
  const { toolUseId, round } = event;
  if (toolUseId !== undefined) return `tool ${toolUseId}`;
  return round === undefined ? channel.replace(/(Start|Ready|End)$/, "") : `round ${round}`;
}

const TIMES: ReadonlySet<string> = new Set(["ms", "firstTokenMs", "costUsd", "pid", "cliVersion"]);

const KINDS: { readonly [field: string]: string } = {
  session: "session",
  sessionId: "cli-session",
  turn: "turn",
  messageId: "message",
  toolUseId: "tool",
  parentToolUseId: "tool",
  request: "question",
};

/** The CLI's result is known from other tests, and the texts of the CLI differ between versions. */
function textOf(name: string, value: unknown): string {
  if (name === "result" && typeof value === "object" && value !== null && "subtype" in value) {
    return String(value.subtype);
  }
  if (name === "prompt" || name === "result") return "…";
  if (name === "content" && Array.isArray(value)) {
    return JSON.stringify(value.map((block) => block.type));
  }
  return JSON.stringify(value);
}
