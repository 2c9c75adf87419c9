import { oneLine } from "../../base/index.js";
import type { Council, CouncilEvent, CouncilReport, Reviewer } from "../../council/index.js";
import type { Terminal } from "../terminal/terminal.js";

/** Shows who has voted and who has not, until there is a report. */
export async function follow(
  work: Council<unknown>,
  reviewers: readonly Reviewer[],
  terminal: Terminal,
): Promise<CouncilReport<unknown>> {
  /** What each reviewer does that has not voted. */
  const waiting = new Map(reviewers.map(({ name }) => [name, name]));
  const showWaiting = () => {
    const names = [...waiting.values()].join(", ");
    terminal.status(names === "" ? undefined : `waiting for ${names}`);
  };
  showWaiting();
  try {
    for await (const event of work) {
      if (event.type === "review") waiting.set(event.reviewer, event.reviewer);
      if (event.type === "tool") waiting.set(event.reviewer, `${event.reviewer} (${event.tool})`);
      if (event.type === "vote") waiting.delete(event.vote.reviewer);
      if (event.type === "absent") waiting.delete(event.absence.reviewer);
      const line = lineOf(event);
      if (line !== undefined) terminal.note(oneLine(line, LONGEST_LINE));
      showWaiting();
    }
    return await work.report;
  } finally {
    terminal.status(undefined);
  }
}

const LONGEST_LINE = 500;

function lineOf(event: CouncilEvent<unknown>): string | undefined {
  if (event.type === "vote") {
    const { reviewer, verdict, ms } = event.vote;
    return `${reviewer}: ${verdict.replaceAll("_", " ")} (${(ms / 1000).toFixed(1)} s)`;
  }
  if (event.type !== "absent") return undefined;
  const { reviewer, error } = event.absence;
  return `${reviewer}: absent, ${error.code}. ${error.message}`;
}
