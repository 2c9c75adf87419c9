import type { Interrupts } from "../interrupts.js";
import { openLineReader } from "./line-reader.js";

/** Asks for one line that is typed from now on. Ctrl-C counts as one of the interrupts, and gives no answer. */
export function askOnce(
  interrupts: Interrupts,
): (question: string, signal?: AbortSignal) => Promise<string | undefined> {
  return (question, signal) =>
    openLineReader().ask(question, {
      ...(signal === undefined ? {} : { signal }),
      fresh: true,
      onInterrupt: () => interrupts.press(),
    });
}
