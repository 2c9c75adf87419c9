import type { JSX } from "preact";
import type { EndedTurn } from "../../../../gateway/src/native/live-state.js";
import { contentText } from "../../base/content-text.js";
import { clockTime, dollars, duration, plural, tokens, words } from "../../base/format.js";
import { CodeText } from "../../parts/code-text.js";
import { Markdown } from "../../parts/markdown.js";
import { Badge } from "../../parts/small-parts.js";

/** The turns of a session that have ended, the newest first. */
export function EndedTurns({
  turns,
}: {
  readonly turns: readonly EndedTurn[];
}): JSX.Element | null {
  if (turns.length === 0) return null;
  return (
    <section aria-labelledby="ended-title">
      <h3 id="ended-title" class="section-title">
        Earlier turns
      </h3>
      {turns.toReversed().map((turn) => (
        <EndedTurnPart key={turn.id} turn={turn} />
      ))}
    </section>
  );
}

function EndedTurnPart({ turn }: { readonly turn: EndedTurn }): JSX.Element {
  const { outcome, endedAt, ms, rounds, costUsd, usage, text, error } = turn;
  const said = contentText(text);
  return (
    <article class="turn turn-ended">
      <p class="facts">
        <Badge tone={outcome === "ok" ? "good" : "bad"}>{words(outcome)}</Badge>
        <span>{clockTime(endedAt)}</span>
        <span>{duration(ms)}</span>
        <span>{plural(rounds, "round")}</span>
        <span>{costUsd === undefined ? "cost not known" : dollars(costUsd)}</span>
        {usage?.outputTokens !== undefined && (
          <span>{tokens(usage.outputTokens)} tokens written</span>
        )}
      </p>
      {error !== undefined && (
        <p class="problem">
          {error.message} <CodeText text={error.hint ?? ""} />
        </p>
      )}
      {said !== "" && <Markdown text={said} />}
    </article>
  );
}
