import type { JSX } from "preact";
import { clockTime, dollars, tokens } from "../../base/format.js";
import { CodeBlock } from "../../parts/code-block.js";
import { Markdown } from "../../parts/markdown.js";
import { Badge } from "../../parts/small-parts.js";
import { ToolInput } from "../../parts/tool-input.js";
import type { Entry } from "./transcript-shape.js";

/** One entry of a transcript. */
export function EntryPart({ entry }: { readonly entry: Entry }): JSX.Element {
  const { kind, at, isSubagent, isLeftOut } = entry;
  if (kind === "turn_end") return <TurnEnd entry={entry} />;
  return (
    <div
      class={`message message-${kind} ${isSubagent ? "message-subagent" : ""} ${isLeftOut ? "message-left-out" : ""}`}
    >
      <p class="message-head">
        <span>
          {isSubagent ? `${NAMES[kind]} of a sub-agent` : NAMES[kind]}
          {isLeftOut && ", not in the conversation any more"}
        </span>
        {at !== undefined && <span class="time">{clockTime(Date.parse(at))}</span>}
      </p>
      <EntryBody entry={entry} />
    </div>
  );
}

const NAMES = {
  prompt: "Prompt",
  text: "Model",
  thinking: "Thinking",
  note: "Note",
  tool: "Tool",
} as const;

function EntryBody({
  entry,
}: {
  readonly entry: Exclude<Entry, { readonly kind: "turn_end" }>;
}): JSX.Element {
  switch (entry.kind) {
    case "text":
      return <Markdown text={entry.text} />;
    case "prompt":
      return <CodeBlock label="Prompt" text={entry.text} />;
    case "thinking":
    case "note":
      return <CodeBlock label={NAMES[entry.kind]} text={entry.text} lines={6} />;
    case "tool":
      return <ToolCall entry={entry} />;
  }
}

function ToolCall({ entry }: { readonly entry: Entry & { readonly kind: "tool" } }): JSX.Element {
  const { tool, input, result } = entry;
  return (
    <>
      <p class="row-line">
        <strong>{tool}</strong>
        {result?.isError === true && <Badge tone="bad">failed</Badge>}
        {result === undefined && <Badge tone="warn">no result</Badge>}
      </p>
      <ToolInput tool={tool} input={input} />
      {result !== undefined && result.text !== "" && (
        <details open={result.isError}>
          <summary>Result</summary>
          <CodeBlock label={`Result of ${tool}`} text={result.text} lines={12} />
        </details>
      )}
    </>
  );
}

function TurnEnd({
  entry,
}: {
  readonly entry: Entry & { readonly kind: "turn_end" };
}): JSX.Element {
  const { read, cached, written } = entry.tokens;
  return (
    <p class="turn-end">
      {entry.costUsd !== undefined && <strong>{dollars(entry.costUsd)}</strong>}
      <span>{tokens(read)} tokens read</span>
      <span>{tokens(cached)} from the cache</span>
      <span>{tokens(written)} written</span>
    </p>
  );
}
