import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { count, plural } from "../../base/format.js";
import { Empty, Problem } from "../../parts/small-parts.js";
import { VirtualList } from "../../parts/virtual-list.js";
import { addressOf } from "../../state/route.js";
import type { SourceState } from "../../state/source-state.js";
import { usePage } from "../../state/use-page.js";
import { EntryPart } from "./entry-part.js";
import { findEntries } from "./find-entries.js";
import { TranscriptActions } from "./transcript-actions.js";
import { transcriptEntries } from "./transcript-entries.js";
import { TranscriptSearch } from "./transcript-search.js";
import type { Entry } from "./transcript-shape.js";
import { useTranscript } from "./use-transcript.js";

/** One transcript: its entries, the search inside of it, and what can be done with it. */
export function TranscriptDetail({
  source,
  id,
}: {
  readonly source: SourceState;
  readonly id: string;
}): JSX.Element {
  const page = usePage();
  const { messages, total, problem } = useTranscript(page, source.info.id, id);
  const costs = useTurnCosts(source, id);
  const entries = useMemo(() => transcriptEntries(messages, costs), [messages, costs]);
  const [query, setQuery] = useState("");
  const found = useMemo(() => findEntries(entries, query), [entries, query]);
  const [place, setPlace] = useState<{ readonly at: number }>({ at: 0 });
  const at = found.length === 0 ? 0 : place.at % found.length;
  const hit = found[at];
  // A new object for each move, so that the list scrolls again to the same row.
  const target = useMemo(
    () => (hit === undefined ? undefined : { index: hit, place }),
    [hit, place],
  );
  const move = (by: number) => {
    if (found.length > 0) setPlace({ at: (at + by + found.length) % found.length });
  };
  const search = (text: string) => {
    setQuery(text);
    setPlace({ at: 0 });
  };
  return (
    <section class="detail transcript" aria-labelledby="transcript-title">
      <a class="back" href={addressOf("transcripts")}>
        ← All transcripts
      </a>
      <h2 id="transcript-title" class="path">
        {id}
      </h2>
      <p class="dim" aria-live="polite">
        {total !== undefined && messages.length < total
          ? `${count(messages.length)} of ${plural(total, "message")} read`
          : plural(messages.length, "message")}
      </p>
      <Problem text={problem} />
      <TranscriptActions source={source} id={id} messages={messages} entries={entries} />
      <TranscriptSearch
        query={query}
        found={found.length}
        current={at}
        onQuery={search}
        onMove={move}
      />
      {total === 0 && <Empty title="This transcript has no messages." />}
      {entries.length > 0 && (
        <VirtualList
          items={entries}
          label="Transcript"
          keyOf={({ key }) => key}
          estimate={estimatedHeight}
          target={target}
        >
          {(entry, index) => (
            <div class={index === hit ? "hit" : ""}>
              <EntryPart entry={entry} />
            </div>
          )}
        </VirtualList>
      )}
    </section>
  );
}

/** The costs of turns that the page has seen, by the id of their prompt. A transcript itself has no costs. */
function useTurnCosts(source: SourceState, id: string): ReadonlyMap<string, number> {
  const turns = source.live.sessionsOf(id).flatMap(({ endedTurns }) => endedTurns);
  const known = turns.flatMap(({ id: turn, costUsd }) =>
    costUsd === undefined ? [] : [[turn, costUsd] as const],
  );
  const key = known.map(([turn]) => turn).join(" ");
  // The key says which turns are known.
  return useMemo(() => new Map(known), [key]);
}

/** Near enough for the scroll bar. The row is measured when it is drawn. */
function estimatedHeight(entry: Entry): number {
  if (entry.kind === "turn_end") return 34;
  const text = entry.kind === "tool" ? toolText(entry) : entry.text;
  const lines = Math.min(30, Math.ceil(text.length / 90) + (text.match(/\n/g)?.length ?? 0));
  return 64 + lines * 20;
}

function toolText({ input }: Entry & { readonly kind: "tool" }): string {
  return JSON.stringify(input) ?? "";
}
