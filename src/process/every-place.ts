import type { Candidate } from "./candidate.js";
import { type CliSource, type LocateOptions, look, SEARCH, thisMachine } from "./locate.js";

/** A place where a CLI may be, and what stands there. */
export interface SeenPlace {
  readonly place: string;
  readonly source: CliSource;
  readonly seen: Candidate;
}

/** Every place that `locateCli()` would search if nobody named one, in its order. */
export function everyPlace(options: LocateOptions = {}): SeenPlace[] {
  const machine = thisMachine(options);
  return SEARCH.flatMap(([source, places]) =>
    places(machine).map((place) => ({ place, source, seen: look(place, machine) })),
  );
}
