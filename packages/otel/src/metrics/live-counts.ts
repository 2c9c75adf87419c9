import type {
  AdmissionEvent,
  ApprovalAnsweredEvent,
  ApprovalRequestedEvent,
  ProcessEvent,
} from "hawser";
import { KEYS } from "../conventions.js";
import type { Observe } from "./instruments.js";

type ProcessState = "starting" | "idle" | "serving";

const STATES: readonly ProcessState[] = ["starting", "idle", "serving"];
const KINDS: readonly ApprovalRequestedEvent["kind"][] = [
  "tool",
  "question",
  "plan",
  "elicitation",
];

/**
 * The counts of now: processes of pools, requests that wait, and approvals without an answer. A count that has
 * become 0 is still reported, because backends would show the last value otherwise.
 */
export class LiveCounts {
  readonly #pools = new Map<number, PoolCounts>();
  /** The kinds of the approvals that wait, by id. */
  readonly #approvals = new Map<string, string>();
  readonly #limit: number;

  /** At most `limit` pools, processes of a pool and approvals are remembered, so that memory stays bounded. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  onProcess({ pool, worker }: ProcessEvent, state: ProcessState | "gone"): void {
    const { workers } = this.#pool(pool);
    if (state === "gone") workers.delete(worker);
    else remember(workers, worker, state, this.#limit);
  }

  onAdmission({ pool, queued }: AdmissionEvent): void {
    this.#pool(pool).queued = queued;
  }

  onRequested({ approval, kind }: ApprovalRequestedEvent): void {
    remember(this.#approvals, approval, kind, this.#limit);
  }

  onAnswered({ approval }: ApprovalAnsweredEvent): void {
    this.#approvals.delete(approval);
  }

  readonly processes: Observe = (report) => {
    for (const [pool, { workers }] of this.#pools) {
      for (const state of STATES) {
        report(countOf(workers, state), { [KEYS.pool]: pool, [KEYS.state]: state });
      }
    }
  };

  readonly queue: Observe = (report) => {
    for (const [pool, { queued }] of this.#pools) report(queued, { [KEYS.pool]: pool });
  };

  readonly approvals: Observe = (report) => {
    for (const kind of KINDS) {
      report(countOf(this.#approvals, kind), { [KEYS.approvalKind]: kind });
    }
  };

  /** How many processes, requests and approvals are counted now. */
  get size(): number {
    let size = this.#approvals.size;
    for (const { workers, queued } of this.#pools.values()) size += workers.size + queued;
    return size;
  }

  #pool(pool: number): PoolCounts {
    const known = this.#pools.get(pool);
    if (known !== undefined) return known;
    this.#forgetEmpty();
    const counts = { workers: new Map<number, ProcessState>(), queued: 0 };
    remember(this.#pools, pool, counts, this.#limit);
    return counts;
  }

  /** The end of a pool has no event. So pools without processes are forgotten if there are many, the oldest first. */
  #forgetEmpty(): void {
    const empty = [...this.#pools].filter(([, { workers, queued }]) => workers.size + queued === 0);
    for (const [pool] of empty.slice(0, -MOST_EMPTY)) this.#pools.delete(pool);
  }
}

const MOST_EMPTY = 20;

interface PoolCounts {
  /** The states of the processes, by worker. */
  readonly workers: Map<number, ProcessState>;
  queued: number;
}

function countOf(values: ReadonlyMap<unknown, string>, wanted: string): number {
  let count = 0;
  for (const value of values.values()) if (value === wanted) count += 1;
  return count;
}

/** Sets an entry. Beyond the limit, the oldest entry is forgotten. */
function remember<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, limit: number): void {
  map.set(key, value);
  if (map.size <= limit) return;
  const [oldest] = map.keys();
  map.delete(oldest as Key);
}
