import { Worker } from "node:worker_threads";
import { HawserError, textOf } from "../../base/index.js";
import type { PendingMatch } from "./pattern-matcher.js";

/**
 * Runs pending matches in another thread, in their order, and gives each outcome to `answer`. After
 * `limitMs` the thread is terminated in the middle of a match. Resolves with the first match that
 * has no outcome, and the reason; with undefined if all have one.
 */
export async function matchInWorker(
  matches: readonly PendingMatch[],
  limitMs: number,
  answer: (match: PendingMatch, isMatch: boolean) => void,
): Promise<UnansweredMatch | undefined> {
  const workerData = matches.map(({ pattern: { source, regex }, text }) => {
    return { source, flags: regex.flags, text };
  });
  const worker = startThread(workerData);
  let done = 0;
  let timer: NodeJS.Timeout | undefined;
  try {
    const failure = await new Promise<WorkerFailure | undefined>((resolve) => {
      const limit = (ms: number) => {
        clearTimeout(timer);
        timer = setTimeout(() => resolve({ reason: "timed_out" }), ms);
      };
      limit(START_LIMIT_MS + limitMs);
      worker.on("message", (isMatch: boolean | "ready") => {
        // The limit starts anew here, because a machine under load may be slow to start a thread.
        if (isMatch === "ready") return limit(limitMs);
        const match = matches[done];
        done += 1;
        if (match !== undefined) answer(match, isMatch);
        if (done === matches.length) resolve(undefined);
      });
      worker.once("error", (error) => resolve({ reason: "worker_failed", detail: textOf(error) }));
      worker.once("exit", () => resolve({ reason: "worker_failed" }));
    });
    const match = matches[done];
    return failure === undefined || match === undefined ? undefined : { match, ...failure };
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}

/**
 * Throws `spawn_failed` if threads are not permitted, because an unchecked value must not be
 * returned.
 */
function startThread(workerData: unknown): Worker {
  try {
    return new Worker(THREAD, { eval: true, workerData, env: {}, execArgv: [] });
  } catch (cause) {
    const why = textOf(cause);
    const message = `The thread that matches a pattern of the schema could not be started: ${why}`;
    const hint =
      "Permit worker threads (`--allow-worker`), or write the pattern without repetitions.";
    throw new HawserError("spawn_failed", message, { cause, hint, retryable: false });
  }
}

interface WorkerFailure {
  readonly reason: "timed_out" | "worker_failed";
  /** The message of the error that ended the thread. */
  readonly detail?: string;
}

export interface UnansweredMatch extends WorkerFailure {
  readonly match: PendingMatch;
}

const START_LIMIT_MS = 30_000;

/** The program of the thread is a string so that it needs no file beside the bundle. */
const THREAD = `
const { parentPort, workerData } = require("node:worker_threads");
parentPort.postMessage("ready");
for (const { source, flags, text } of workerData) {
  parentPort.postMessage(new RegExp(source, flags).test(text));
}
`;
