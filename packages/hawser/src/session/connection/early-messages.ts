import { type ErrorFacts, HawserError, isHawserError, type Mask } from "../../base/index.js";
import { lastProbe } from "../../process/index.js";
import { isResult, type Message, type ResultMessage } from "../../wire/index.js";
import { failureOf } from "../result-outcome.js";

/**
 * Holds the messages that come before the answer to initialize, until it is known whether they are part
 * of a conversation or explain why the start failed.
 */
export class EarlyMessages {
  #held: (() => void)[] | undefined = [];
  #failure: ResultMessage | undefined;
  #hasSpoken = false;

  /** Whether messages have to be held. False once the held messages have been delivered. */
  get isHolding(): boolean {
    return this.#held !== undefined;
  }

  /** Holds a message, which `deliver` will hand on. */
  hold(deliver: () => void): void {
    this.#held?.push(deliver);
  }

  deliver(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const deliver of held) deliver();
  }

  /** To be called with every message until the CLI is ready. */
  observe(message: Message): void {
    this.#hasSpoken = true;
    if (isResult(message) && message.is_error) this.#failure ??= message;
  }

  /** A failure that the CLI reports before it answers initialize is the reason why it never will. */
  explain(error: unknown, facts: ErrorFacts, mask: Mask | undefined): unknown {
    if (!this.#hasSpoken) return notTheCli(error, facts, mask);
    if (this.#failure === undefined) return error;
    if (isHawserError(error, "timeout") || error === undefined) return error;
    const around = { apiError: undefined, rateLimit: undefined, retryAfterMs: undefined };
    return failureOf(this.#failure, around, mask);
  }
}

/**
 * `cli_not_runnable` in place of the error, if the program ended before it said anything of the protocol
 * and named no version of the CLI: then it is most likely not the CLI. A wrapper around the CLI that
 * answers `--version` in its own way has sent a message by then.
 */
function notTheCli(error: unknown, facts: ErrorFacts, mask: Mask | undefined): unknown {
  const { cliPath = "", exitCode } = facts;
  if (error !== undefined && !ENDS.some((code) => isHawserError(error, code))) return error;
  if (exitCode === undefined || exitCode > 128) return error;
  const asked = lastProbe(cliPath);
  if (asked === undefined || asked.version !== undefined) return error;
  const said = asked.failed ? `failed (${asked.text})` : `printed ${JSON.stringify(asked.text)}`;
  return new HawserError(
    "cli_not_runnable",
    `${cliPath} does not seem to be the Claude Code CLI: with --version it ${said}, and when it was started it exited with code ${exitCode}.`,
    {
      ...facts,
      hint: "Set `cliPath` or HAWSER_CLI to the `claude` executable, or leave both unset to have it found.",
      ...(error === undefined ? {} : { cause: error }),
    },
    mask,
  );
}

const ENDS = ["process_exited", "closed"] as const;
