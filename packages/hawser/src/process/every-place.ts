import type { Candidate } from "./candidate.js";
import { type CliSource, type LocateOptions, look, searchOf, thisMachine } from "./locate.js";

/** A place where a CLI may be, and what stands there. */
export interface SeenPlace {
  readonly place: string;
  readonly source: CliSource;
  readonly seen: Candidate;
}

/** Every place that `locateCli()` searches if no CLI is named, in its order. */
export function everyPlace(options: LocateOptions = {}): SeenPlace[] {
  const machine = thisMachine(options);
  return searchOf(machine).flatMap(([source, places]) =>
    places(machine).map((place) => ({ place: place.path, source, seen: look(place, machine) })),
  );
}
