import type { JSX } from "preact";
import type { LiveTurn } from "../../../../gateway/src/native/live-state.js";
import { contentText } from "../../base/content-text.js";
import { count, elapsed } from "../../base/format.js";
import { CodeBlock } from "../../parts/code-block.js";
import { clock } from "../../state/clock.js";
import { ToolTree } from "./tool-tree.js";

/** A turn while it runs: its prompt, its tool calls, and what the model writes. */
export function LiveTurnPart({ turn }: { readonly turn: LiveTurn }): JSX.Element {
  const { prompt, text, textCut, thinking, tools, retry, startedAt } = turn;
  const asked = contentText(prompt);
  return (
    <section class="turn" aria-label="Running turn">
      <p class="turn-head">
        <span class="pulse" aria-hidden="true" /> Running for {elapsed(clock.value - startedAt)}
      </p>
      {asked !== "" && (
        <div class="message message-user">
          <CodeBlock label="Prompt" text={asked} lines={8} />
        </div>
      )}
      {retry !== undefined && (
        <p class="warn">
          The API did not answer. Attempt {retry.attempt} of {retry.of}
          {retry.reason === undefined ? "" : `: ${retry.reason}`}
        </p>
      )}
      {thinking !== "" && (
        <details>
          <summary>Thinking</summary>
          <p class="thinking">{thinking}</p>
        </details>
      )}
      <ToolTree tools={tools} />
      {textCut > 0 && <p class="dim">{count(textCut)} characters before this are not shown.</p>}
      {text !== "" && <p class="streamed">{text}</p>}
    </section>
  );
}
