import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { bytes, clockTime, plural } from "../../base/format.js";
import { Empty, Problem, SourceTag } from "../../parts/small-parts.js";
import { addressOf, openFirst, route } from "../../state/route.js";
import { usePage } from "../../state/use-page.js";
import { storedChanges } from "./stored-changes.js";
import { TranscriptDetail } from "./transcript-detail.js";
import { type StoredRow, useStored } from "./use-stored.js";

/** The sessions on disk, the search over all of them, and one of them in detail. */
export function TranscriptsView(): JSX.Element {
  const page = usePage();
  const [sourceId, id] = route.value.parts;
  const source = page.source(sourceId ?? "");
  return (
    <div class={`view split ${id === undefined ? "" : "split-detail"}`}>
      <div class="split-list">
        <h1>Transcripts</h1>
        <TranscriptList openId={id} />
      </div>
      <div class="split-main">
        {source !== undefined && id !== undefined ? (
          <TranscriptDetail key={id} source={source} id={id} />
        ) : (
          <Empty title="Choose a transcript.">You can search in all of them.</Empty>
        )}
      </div>
    </div>
  );
}

function TranscriptList({ openId }: { readonly openId: string | undefined }): JSX.Element {
  const page = usePage();
  const [query, setQuery] = useState("");
  const [pages, setPages] = useState(1);
  const changes = storedChanges.value;
  const { rows, isComplete, hasMore, problem, readAfter } = useStored(page, query, pages, changes);
  const first = query === "" && readAfter === changes ? rows?.[0] : undefined;
  useEffect(() => {
    if (openId !== undefined || first === undefined) return;
    openFirst("transcripts", first.source, first.session.sessionId);
  }, [openId, first]);
  return (
    <>
      <search>
        <label>
          <span class="hidden">Search all transcripts</span>
          <input
            type="search"
            placeholder="Search all transcripts"
            value={query}
            onInput={(event) => setQuery(event.currentTarget.value)}
          />
        </label>
      </search>
      <p class="lead" aria-live="polite">
        {rows === undefined ? "Reading…" : plural(rows.length, "transcript")}
        {hasMore && ", the newest"}
        {!isComplete && ". Not all of them could be read."}
      </p>
      <Problem text={problem} />
      {rows?.length === 0 && <Empty title="No transcripts." />}
      <ul class="rows">
        {rows?.map((row) => (
          <StoredRowPart
            key={row.session.sessionId}
            row={row}
            isOpen={row.session.sessionId === openId}
          />
        ))}
      </ul>
      {hasMore && (
        <button type="button" class="more" onClick={() => setPages(pages + 1)}>
          Show older ones
        </button>
      )}
    </>
  );
}

function StoredRowPart({
  row: { source, session, excerpt },
  isOpen,
}: {
  readonly row: StoredRow;
  readonly isOpen: boolean;
}): JSX.Element {
  const known = usePage().source(source);
  const { sessionId, summary, lastModified, fileSize, cwd, gitBranch } = session;
  return (
    <li>
      <a
        class={`row session-row ${isOpen ? "row-open" : ""}`}
        href={addressOf("transcripts", source, sessionId)}
        aria-current={isOpen ? "page" : undefined}
      >
        <span class="row-line">
          <span class="row-title">{summary || sessionId}</span>
        </span>
        {excerpt !== undefined && <span class="excerpt">…{excerpt}…</span>}
        <span class="row-line dim">
          {known !== undefined && <SourceTag source={known} />}
          <span class="time">{clockTime(lastModified)}</span>
          {fileSize !== undefined && <span>{bytes(fileSize)}</span>}
          {gitBranch !== undefined && <span>{gitBranch}</span>}
          <span class="tool-about">{cwd}</span>
        </span>
      </a>
    </li>
  );
}
