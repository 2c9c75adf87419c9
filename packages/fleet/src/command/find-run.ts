import { HawserError } from "hawser";
import type { Fleet } from "../fleet.js";
import type { Run, RunInfo } from "../runs/run.js";
import type { FleetPlace } from "./open-place.js";
import { oneLine } from "./printable.js";

/** The run that a user means by its id, or by the first characters of the id of one of the newest runs. */
export async function findRun(fleet: Fleet, name: string, { flags }: FleetPlace): Promise<Run> {
  if (WHOLE_ID.test(name)) {
    const run = fleet.run(name.toLowerCase());
    await run.info();
    return run;
  }
  const found = await runsBeginningWith(fleet, name);
  const [first] = found;
  if (found.length > 1) throw ambiguous(name, found);
  if (first !== undefined) return fleet.run(first.id);
  const isShort = name.length < SHORTEST;
  const hint = isShort ? `Give at least ${SHORTEST} characters of its id. ` : "";
  throw new HawserError("invalid_options", `There is no run ${JSON.stringify(name)}.`, {
    hint: `${hint}\`hawser runs${flags}\` lists the newest ones; an older one needs its whole id.`,
  });
}

const WHOLE_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const SHORTEST = 4;

async function runsBeginningWith(fleet: Fleet, name: string): Promise<RunInfo[]> {
  const start = name.toLowerCase();
  const found: RunInfo[] = [];
  if (start.length < SHORTEST) return found;
  for await (const run of fleet.runs({ limit: NEWEST }))
    if (run.id.startsWith(start)) found.push(run);
  return found;
}

/** How many runs are searched for an id of which only the beginning is given. */
const NEWEST = 1000;

function ambiguous(name: string, found: readonly RunInfo[]): HawserError {
  const lines = found.slice(0, SHOWN).map(({ id, prompt }) => `  ${id}  ${aboutOf(prompt, 60)}`);
  return new HawserError(
    "invalid_options",
    `${JSON.stringify(name)} matches ${found.length} runs.`,
    { hint: ["Give more of the id:", ...lines].join("\n") },
  );
}

const SHOWN = 10;

/** The beginning of a prompt on one line. */
export function aboutOf(prompt: RunInfo["prompt"], longest: number): string {
  if (typeof prompt === "string") return oneLine(prompt, longest);
  const texts = prompt.flatMap((block) => (block.type === "text" ? [String(block.text)] : []));
  return oneLine(texts.join(" ") || "(no text)", longest);
}
