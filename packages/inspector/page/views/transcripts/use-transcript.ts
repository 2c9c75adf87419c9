import { useEffect, useState } from "preact/hooks";
import { numberField, objectOf } from "../../base/json.js";
import { listOf, nativePath, problemOf } from "../../net/api.js";
import type { PageState } from "../../state/page-state.js";
import type { TranscriptMessage } from "./transcript-shape.js";

export interface LoadedTranscript {
  readonly messages: readonly TranscriptMessage[];
  readonly total: number | undefined;
  readonly problem: string | undefined;
}

/** Reads a transcript while the view is shown. The first messages can be read while the others arrive. */
export function useTranscript(page: PageState, source: string, id: string): LoadedTranscript {
  const [loaded, setLoaded] = useState<LoadedTranscript>(NOTHING);
  useEffect(() => {
    const leave = new AbortController();
    setLoaded(NOTHING);
    // All of it: also what a compaction has left out, and what sub-agents said.
    const path = nativePath(source, `/sessions/${encodeURIComponent(id)}/messages?all=1`);
    readTranscript(page, path, leave.signal, (messages, total) =>
      setLoaded({ messages, total, problem: undefined }),
    ).catch((error) => {
      if (leave.signal.aborted) return;
      setLoaded((before) => ({ ...before, problem: problemOf(error) }));
    });
    return () => leave.abort();
  }, [page, source, id]);
  return loaded;
}

/** Reads all messages of a transcript, page by page. */
export async function readTranscript(
  page: PageState,
  path: string,
  signal: AbortSignal,
  onPage: (messages: readonly TranscriptMessage[], total: number) => void,
): Promise<readonly TranscriptMessage[]> {
  let messages: readonly TranscriptMessage[] = [];
  const start = `${path}${path.includes("?") ? "&" : "?"}`;
  for (let limit = FIRST; ; limit = PAGE) {
    const body = await page.api.get(`${start}limit=${limit}&offset=${messages.length}`, signal);
    const next = listOf<TranscriptMessage>(body, "messages");
    const total = numberField(objectOf(body), "total") ?? 0;
    messages = [...messages, ...next];
    onPage(messages, total);
    if (next.length === 0 || messages.length >= total) return messages;
  }
}

const NOTHING: LoadedTranscript = { messages: [], total: undefined, problem: undefined };
/** The first page is small, so that something can be read at once. */
const FIRST = 100;
const PAGE = 1000;
