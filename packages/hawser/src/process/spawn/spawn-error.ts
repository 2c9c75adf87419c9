import { statSync } from "node:fs";
import {
  type ErrorCode,
  type ErrorFacts,
  HawserError,
  type Mask,
  scarcityHint,
} from "../../base/index.js";
import { notRunnableError } from "../locate/not-runnable-error.js";
import { cwdProblem, isDirectory } from "../prepare/check-folders.js";

/** What was to be started. */
export interface Attempted {
  readonly file: string;
  readonly cwd: string | undefined;
  readonly facts: ErrorFacts;
  readonly mask?: Mask | undefined;
}

/**
 * The error for a program that could not be started. Node throws some of these at once and reports
 * others later; ENOENT has three meanings. A lack of resources (EMFILE, ENFILE, EAGAIN, ENOMEM) is
 * `spawn_failed`, which is retryable, because it says nothing about the file.
 */
export function spawnError(cause: unknown, attempted: Attempted): HawserError {
  const { file, cwd, facts, mask } = attempted;
  const { code = "unknown", message } = cause as NodeJS.ErrnoException;
  const known = (errorCode: ErrorCode, text: string, more: ErrorFacts = {}) =>
    new HawserError(errorCode, text, { ...facts, ...more, cause }, mask);

  if (code === "E2BIG") {
    return known(
      "argument_too_long",
      "The arguments and the environment are too long to start the CLI.",
      { hint: "Shorten `extraArgs` or `env`, or let `inheritEnv` pass on fewer variables." },
    );
  }
  if (code === "ERR_INVALID_ARG_VALUE") return known("invalid_options", message);
  if (cwd !== undefined && !isDirectory(cwd)) {
    return known("cwd_not_found", cwdProblem(cwd));
  }
  if (code === "ENOENT" && statSync(file, { throwIfNoEntry: false }) === undefined) {
    return known("cli_not_found", `There is no file ${file}.`);
  }
  if (OF_THE_FILE.includes(code)) {
    return notRunnableError(file, code, { ...facts, cause }, mask);
  }
  const hint = scarcityHint(code);
  const text = `The CLI process could not be started: ${message}`;
  return known("spawn_failed", text, hint === undefined ? {} : { hint });
}

const OF_THE_FILE = ["ENOENT", "EACCES", "ENOEXEC", "EBADARCH", "ENOTDIR", "EISDIR"];
