import { isHawserError, SILENT } from "../../base/index.js";
import { complete } from "../../complete/index.js";
import { commandHint, commandMessage } from "../hints.js";
import { type Finding, note, ok, problem, type Scene } from "./finding.js";

/** One real call, as small as can be. */
export async function liveFinding(
  { cliPath, cwd }: Scene,
  before: readonly Finding[],
): Promise<Finding> {
  const problems = before.filter(({ level }) => level === "problem").map(({ id }) => id);
  if (problems.some((id) => id.startsWith("cli"))) {
    return note("live", "No call was made: the CLI does not run.");
  }
  // The CLI would make the folder, and the next examination would find nothing wrong.
  if (problems.includes("temporary-folder")) {
    return note("live", "No call was made: the folder for temporary files cannot be used.");
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
    return ok("live", `an answer came (${facts.join(", ")})`);
  } catch (error) {
    if (!isHawserError(error)) throw error;
    const message = `No answer came: ${commandMessage(error)}`;
    return problem("live", error.code, message, commandHint(error));
  }
}

const LIMIT_MS = 90_000;
