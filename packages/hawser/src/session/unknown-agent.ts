import { getPath, type Logger, warnOnce } from "../base/index.js";
import type { Options } from "../options/index.js";

/** A CLI that does not know the agent says nothing, and answers as its own. */
export function warnOfUnknownAgent(
  answer: unknown,
  { agent, trustProject, logger }: Options,
  log: Logger,
): void {
  const listed = getPath(answer, "agents");
  if (agent === undefined || !Array.isArray(listed)) return;
  const agents = listed.map((each) => getPath(each, "name"));
  if (agents.includes(agent)) return;
  if (trustProject !== false) {
    log.warn("there is no such agent, so the CLI's own answers", { agent, agents });
    return;
  }
  const hint = "Agents of the project need trustProject: true.";
  log.warn("there is no such agent, so the CLI's own answers", { agent, agents, hint });
  // The agent may have been meant as a restriction, so a program without a logger is told as well.
  if (logger === undefined) warnOnce(`There is no agent ${agent}: the CLI's own answers. ${hint}`);
}
