import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { count } from "../../base/format.js";
import { isTyping } from "../../base/is-typing.js";
import { Key } from "../../parts/small-parts.js";

/** The field to search inside of a transcript, and the way through what was found. */
export function TranscriptSearch({
  query,
  found,
  current,
  onQuery,
  onMove,
}: {
  readonly query: string;
  readonly found: number;
  /** Which of the places is shown, from 0. */
  readonly current: number;
  readonly onQuery: (query: string) => void;
  readonly onMove: (by: number) => void;
}): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "/" || isTyping(event.target)) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return (
    <search class="transcript-search">
      <label>
        <span class="hidden">Search in this transcript</span>
        <input
          ref={field}
          type="search"
          placeholder="Search in this transcript"
          value={query}
          onInput={(event) => onQuery(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter") onMove(event.shiftKey ? -1 : 1);
          }}
        />
      </label>
      {query === "" ? (
        <Key name="/" />
      ) : (
        <>
          <output>
            {found === 0 ? "Nothing found" : `${count(current + 1)} of ${count(found)}`}
          </output>
          <button type="button" disabled={found === 0} onClick={() => onMove(-1)}>
            Previous
          </button>
          <button type="button" disabled={found === 0} onClick={() => onMove(1)}>
            Next
          </button>
        </>
      )}
    </search>
  );
}
