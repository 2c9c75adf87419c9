import type { HawserError } from "../base/index.js";
import type { Usage } from "../wire/index.js";
import type { Vote } from "./vote.js";

/** The vote of a reviewer, with what it cost. */
export interface CouncilVote<Details = undefined> extends Vote<Details> {
  /** The name of the reviewer. */
  readonly reviewer: string;
  readonly weight: number;
  /** 1 for an approval, 0.5 with conditions, -1 for a rejection, 0 for an abstention. */
  readonly score: number;
  /** The model that answered, as the CLI names it. */
  readonly model: string | undefined;
  /** The cost of all rounds, repaired answers and repeated calls included; `undefined` if a part of it is not known. */
  readonly costUsd: number | undefined;
  /** The tokens of all rounds with a vote. */
  readonly usage: Usage;
  /** How long the reviewer worked in all rounds, in milliseconds. */
  readonly ms: number;
}

/** A reviewer without a vote. */
export interface Absence {
  /** The name of the reviewer. */
  readonly reviewer: string;
  /** Why it has no vote. */
  readonly error: HawserError;
  /** What its calls cost all the same; `undefined` if a part of it is not known. */
  readonly costUsd: number | undefined;
  /** How long the reviewer worked in all rounds, in milliseconds. */
  readonly ms: number;
}
