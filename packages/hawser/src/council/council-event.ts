import type { CouncilReport } from "./council-report.js";
import type { Absence, CouncilVote } from "./council-vote.js";

/** What happens in a council, as it happens. The verdict is the last event. */
export type CouncilEvent<Details = undefined> =
  /** A reviewer begins with a round. */
  | { readonly type: "review"; readonly reviewer: string; readonly round: number }
  /** A reviewer uses a tool. */
  | {
      readonly type: "tool";
      readonly reviewer: string;
      readonly round: number;
      readonly tool: string;
    }
  | { readonly type: "vote"; readonly round: number; readonly vote: CouncilVote<Details> }
  /** A reviewer has no vote in this round. In the second round, its first vote counts. */
  | { readonly type: "absent"; readonly round: number; readonly absence: Absence }
  | { readonly type: "verdict"; readonly report: CouncilReport<Details> };
