import { shownJson } from "../../base/json.js";
import type { Entry, TranscriptMessage } from "./transcript-shape.js";

/** Saves a transcript as a file: its messages as lines of JSON. */
export function exportJson(name: string, messages: readonly TranscriptMessage[]): void {
  const lines = messages.map((message) => JSON.stringify(message));
  save(`${name}.jsonl`, `${lines.join("\n")}\n`, "application/jsonl");
}

/** Saves a transcript as a file that people read. */
export function exportMarkdown(name: string, entries: readonly Entry[]): void {
  save(
    `${name}.md`,
    `${entries.map(entryMarkdown).filter(Boolean).join("\n\n")}\n`,
    "text/markdown",
  );
}

function entryMarkdown(entry: Entry): string {
  switch (entry.kind) {
    case "prompt":
      return `## Prompt\n\n${entry.text}`;
    case "text":
      return `## Model\n\n${entry.text}`;
    case "thinking":
    case "note":
      return `> ${entry.text.replaceAll("\n", "\n> ")}`;
    case "tool":
      return [
        `### ${entry.tool}`,
        fenced(shownJson(entry.input)),
        ...(entry.result === undefined ? [] : [fenced(entry.result.text)]),
      ].join("\n\n");
    case "turn_end":
      return "";
  }
}

/** A block of code whose fence is longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

function save(name: string, text: string, type: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
