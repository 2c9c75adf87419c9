import { complete } from "../../complete/index.js";
import { isHawserError, SILENT } from "../../errors/index.js";
import { type Finding, note, ok, problem, type Scene } from "./finding.js";

/** One real call, as small as can be. */
export async function liveFinding(
  { cliPath, cwd }: Scene,
  before: readonly Finding[],
): Promise<Finding> {
  const obstacle = before.find(({ level, id }) => level === "problem" && id.startsWith("cli"));
  if (obstacle !== undefined) return note("live", "No call was made: the CLI does not run.");
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
    return problem("live", error.code, `No answer came: ${error.message}`, error.hint);
  }
}

const LIMIT_MS = 90_000;
