import { isHawserError, SILENT } from "../../base/index.js";
import { complete } from "../../complete/index.js";
import { describeHint, describeMessage } from "../command/describe-error.js";
import { type CheckContext, type Finding, note, ok, problem } from "./finding.js";

/** Makes one real call, as small as possible. */
export async function checkLiveCall(
  { cliPath, cwd }: CheckContext,
  before: readonly Finding[],
): Promise<Finding> {
  const problems = before.filter(({ level }) => level === "problem").map(({ id }) => id);
  if (problems.some((id) => id.startsWith("cli"))) {
    return note("live", "No call was made: the CLI does not run.");
  }
  // The CLI would create the folder, and the next run of the doctor would find nothing wrong.
  if (problems.includes("temporary-folder")) {
    return note("live", "No call was made: the temporary folder cannot be used.");
  }
  try {
    const { model, timing, costUsd } = await complete("Answer with the one word: pong.", {
      cwd,
      logger: SILENT,
      timeouts: { totalMs: LIMIT_MS },
      ...(cliPath === undefined ? {} : { cliPath }),
    });
    const facts = [
      ...(model === undefined ? [] : [model]),
      ...(timing.totalMs === undefined ? [] : [`${(timing.totalMs / 1000).toFixed(1)} s`]),
      ...(costUsd === undefined ? [] : [`$${costUsd.toFixed(4)}`]),
    ];
    return ok("live", `the model answered (${facts.join(", ")})`);
  } catch (error) {
    if (!isHawserError(error)) throw error;
    const message = `The model did not answer: ${describeMessage(error)}`;
    return problem("live", error.code, message, describeHint(error));
  }
}

const LIMIT_MS = 90_000;
