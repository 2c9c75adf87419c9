import { Worker } from "node:worker_threads";
import { HawserError, textOf } from "../../base/index.js";
import type { PendingMatch } from "./pattern-matcher.js";

/**
 * Answers questions in another thread, in their order, until `limitMs` have passed: then the thread is
 * ended in the middle of a match, and the question that was not answered is given back with the reason.
 */
export async function matchInWorker(
  questions: readonly PendingMatch[],
  limitMs: number,
  answer: (question: PendingMatch, isMatch: boolean) => void,
): Promise<UnansweredMatch | undefined> {
  const workerData = questions.map(({ pattern: { source, regex }, text }) => {
    return { source, flags: regex.flags, text };
  });
  const worker = startThread(workerData);
  let done = 0;
  let timer: NodeJS.Timeout | undefined;
  try {
    const problem = await new Promise<string | undefined>((resolve) => {
      const limit = (ms: number) => {
        clearTimeout(timer);
        timer = setTimeout(() => resolve("takes too long to match"), ms);
      };
      limit(START_LIMIT_MS + limitMs);
      worker.on("message", (isMatch: boolean | "ready") => {
        // A machine under load takes its time to start a thread, which is not the pattern's fault.
        if (isMatch === "ready") return limit(limitMs);
        const question = questions[done];
        done += 1;
        if (question !== undefined) answer(question, isMatch);
        if (done === questions.length) resolve(undefined);
      });
      worker.once("error", (error) => resolve(`cannot be matched (${textOf(error)}) with`));
      worker.once("exit", () => resolve("cannot be matched with"));
    });
    const question = questions[done];
    return problem === undefined || question === undefined ? undefined : { question, problem };
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}

/** Throws `spawn_failed` where threads are not permitted: a value that was not checked is no answer. */
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

export interface UnansweredMatch {
  readonly question: PendingMatch;
  /** Continues with the pattern. */
  readonly problem: string;
}

const START_LIMIT_MS = 30_000;

/** Plain text, so that it needs no file beside the bundle. */
const THREAD = `
const { parentPort, workerData } = require("node:worker_threads");
parentPort.postMessage("ready");
for (const { source, flags, text } of workerData) {
  parentPort.postMessage(new RegExp(source, flags).test(text));
}
`;
