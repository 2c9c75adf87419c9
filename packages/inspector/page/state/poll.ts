import { useEffect, useState } from "preact/hooks";
import { problemOf } from "../net/api.js";

/** The newest answer of a request that is repeated, or why there is none. */
export interface Polled<T> {
  readonly value: T | undefined;
  readonly problem: string | undefined;
}

/** Reads something again and again while the view is shown. It begins anew when `key` changes. */
export function usePoll<T>(
  read: (signal: AbortSignal) => Promise<T>,
  everyMs: number,
  key: string,
): Polled<T> {
  const [polled, setPolled] = useState<Polled<T>>({ value: undefined, problem: undefined });
  // `key` says when `read` means something else.
  useEffect(() => {
    const leave = new AbortController();
    let timer = 0;
    const next = async () => {
      try {
        const value = document.hidden ? undefined : await read(leave.signal);
        if (value !== undefined) setPolled({ value, problem: undefined });
      } catch (error) {
        if (leave.signal.aborted) return;
        setPolled((before) => ({ ...before, problem: problemOf(error) }));
      }
      if (!leave.signal.aborted) timer = setTimeout(next, everyMs);
    };
    void next();
    return () => {
      leave.abort();
      clearTimeout(timer);
    };
  }, [key, everyMs]);
  return polled;
}
