import { type ErrorFacts, HawserError, type Mask } from "../../base/index.js";
import { type Unrunnable, whyUnrunnable } from "./executable-format.js";

/**
 * The error for a file that did not start. `said` is the reason that the system gave. It is used
 * only if the file itself shows no better reason, because ENOENT for a file that exists would
 * mislead.
 */
export function notRunnableError(
  path: string,
  said: string,
  facts: ErrorFacts,
  mask?: Mask,
): HawserError {
  const why = whyUnrunnable(path);
  const { reason, remedy } = why === undefined ? { reason: said } : describeUnrunnable(why);
  return new HawserError(
    "cli_not_runnable",
    `The CLI at ${path} cannot be run: ${reason}.`,
    { ...facts, ...(remedy === undefined ? {} : { hint: remedy }) },
    mask,
  );
}

export interface UnrunnableWords {
  /** The end of a sentence, without its full stop. */
  readonly reason: string;
  readonly remedy?: string;
}

export function describeUnrunnable(why: Unrunnable): UnrunnableWords {
  const here = `${process.platform} ${process.arch}`;
  switch (why.code) {
    case "other_system":
      return { reason: `it is built for ${why.system}, but this machine is ${here}`, remedy: FIT };
    case "other_processor":
      return {
        reason: `it is built for ${why.processor}, but this machine is ${here}`,
        remedy: FIT,
      };
    case "no_interpreter":
      return {
        reason: `its first line names ${why.interpreter}, which does not exist`,
        remedy: `Install ${why.interpreter}, or correct that line.`,
      };
    case "no_loader": {
      const libc = why.libc ?? "another C library";
      const loader = `whose loader ${why.loader} is not on this machine`;
      return { reason: `it is built for ${libc}, ${loader}`, remedy: FIT };
    }
  }
}

const FIT =
  "Install the CLI on this machine itself, with npm or its installer: they choose the right build.";
