import { useEffect, useState } from "preact/hooks";
import { nativePath } from "../../net/api.js";
import { readSse } from "../../net/read-sse.js";
import type { PageState } from "../../state/page-state.js";
import type { RunEvent } from "./run-shape.js";

/** The events of a run from its first one on, as they happen. After a break they continue with the next number. */
export function useRunEvents(page: PageState, source: string, run: string): readonly RunEvent[] {
  const [events, setEvents] = useState<readonly RunEvent[]>([]);
  useEffect(() => {
    const leave = new AbortController();
    let all: readonly RunEvent[] = [];
    const follow = async () => {
      const path = nativePath(source, `/runs/${run}/events?after=${all.at(-1)?.seq ?? 0}`);
      const response = await page.api.open(path, { signal: leave.signal });
      // Without a body, the run has ended and no event is left.
      if (response.status === 204 || response.body === null) return true;
      for await (const batch of readSse(response.body)) {
        if (batch.length === 0) continue;
        all = [...all, ...batch.map(({ data }) => JSON.parse(data) as RunEvent)].slice(-MOST);
        setEvents(all);
      }
      return all.at(-1)?.type === "ended";
    };
    const followAll = async () => {
      while (!leave.signal.aborted) {
        if (await follow().catch(() => false)) return;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    };
    void followAll();
    return () => leave.abort();
  }, [page, source, run]);
  return events;
}

const MOST = 2000;
const RETRY_MS = 1000;
