import { type ErrorFacts, HawserError, isHawserError, type Mask } from "../base/index.js";
import { lastProbe } from "../process/index.js";

/**
 * A program that ended before it said anything of the protocol, and told no version of the CLI either,
 * is most likely another one. A wrapper with an odd answer of its own has spoken by then.
 */
export function notTheCli(error: unknown, facts: ErrorFacts, mask: Mask | undefined): unknown {
  const { cliPath = "", exitCode } = facts;
  if (error !== undefined && !ENDS.some((code) => isHawserError(error, code))) return error;
  if (exitCode === undefined || exitCode > 128) return error;
  const asked = lastProbe(cliPath);
  if (asked === undefined || asked.version !== undefined) return error;
  const said = asked.failed ? `told none (${asked.text})` : `said ${JSON.stringify(asked.text)}`;
  return new HawserError(
    "cli_not_runnable",
    `${cliPath} does not seem to be the Claude Code CLI: asked for its version it ${said}, and when it was started it ended by exit code ${exitCode}.`,
    {
      ...facts,
      hint: "Set `cliPath` or HAWSER_CLI to the `claude` executable, or leave both unset to have it found.",
      ...(error === undefined ? {} : { cause: error }),
    },
    mask,
  );
}

const ENDS = ["process_exited", "closed"] as const;
