import type { HawserError } from "../base/index.js";
import { abortedBy, listenForAbort } from "../control/index.js";

export { abortedBy };

/** Tells of the first abort; the returned function stops listening. */
export function onAbort(
  signals: readonly (AbortSignal | undefined)[],
  aborted: (error: HawserError) => void,
): () => void {
  const release: (() => void)[] = [];
  for (const signal of signals) {
    if (signal === undefined) continue;
    const tell = () => aborted(abortedBy(signal));
    if (signal.aborted) tell();
    else release.push(listenForAbort(signal, tell));
  }
  return () => {
    for (const each of release) each();
  };
}
