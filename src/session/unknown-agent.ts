import type { Logger } from "../errors/index.js";
import type { Options } from "../options/index.js";
import { fieldOf } from "./payload.js";

/** A CLI that does not know the agent says nothing, and answers as its own. */
export function warnOfUnknownAgent(
  answer: unknown,
  { agent, trustProject }: Options,
  log: Logger,
): void {
  const listed = fieldOf(answer, "agents");
  if (agent === undefined || !Array.isArray(listed)) return;
  const agents = listed.map((each) => fieldOf(each, "name"));
  if (agents.includes(agent)) return;
  const hint =
    trustProject === false ? { hint: "Agents of the project need trustProject: true." } : {};
  log.warn("there is no such agent, so the CLI's own answers", { agent, agents, ...hint });
}
