import { randomUUID } from "node:crypto";
import {
  faultReporter,
  HawserError,
  hostMask,
  inspectable,
  kind,
  LONGEST_TIMER_MS,
  listenForAbort,
  omitUndefined,
  SILENT,
  startTimer,
  throwIfInvalid,
  withTimeout,
} from "../../base/index.js";
import type { CanUseTool, OnElicitation } from "../../options/index.js";
import type { Approval } from "./approval.js";
import type { ApprovalDecision } from "./approval-decision.js";
import { publishAsked, publishSettled } from "./approval-events.js";
import {
  type ApprovalChange,
  type ApprovalOutcome,
  type ApprovalRecord,
  approvalRecord,
} from "./approval-record.js";
import type { ApprovalsOptions } from "./approvals-options.js";
import { ChangeReader } from "./change-reader.js";
import { checkDecision } from "./check-decision.js";
import { elicitationResult, permissionResult } from "./cli-answer.js";
import { coveredCalls } from "./covered-calls.js";
import { deepFreeze } from "./deep-freeze.js";
import { type ApprovalFrame, describeCall, describeElicitation } from "./describe-approval.js";
import { refusalOf } from "./refusal-of.js";
import { type Grant, SessionGrants } from "./session-grants.js";

/**
 * - `pending`: the question waits for an answer.
 * - `expiring`: `onExpire` is being asked, and an answer comes too late.
 * - `settled`: the CLI has its answer, or waits no more.
 */
type State = "pending" | "expiring" | "settled";

interface Entry {
  readonly approval: Approval;
  readonly resolve: (decision: ApprovalDecision | undefined) => void;
  /** By the clock of `performance.now()`. */
  readonly startedAt: number;
  state: State;
  timer?: NodeJS.Timeout | undefined;
  stopListening?: () => void;
}

/** The facts of an ending beside the outcome and the decision. */
type Ending = Partial<Pick<ApprovalRecord, "by" | "grantedBy" | "code">>;

/**
 * Permission questions as objects that any part of a program can answer, once. `createApprovals()` makes
 * it. One object can serve any number of sessions, calls, pools and queries.
 *
 * An iteration begins with the questions that are pending, and goes on with every change until `close()`.
 * There can be several readers.
 */
export class Approvals implements AsyncIterable<ApprovalChange>, AsyncDisposable {
  readonly #options: ApprovalsOptions;
  readonly #name = randomUUID();
  readonly #entries = new Map<string, Entry>();
  readonly #grants = new SessionGrants();
  readonly #readers = new Set<ChangeReader>();
  readonly #records: ApprovalRecord[] = [];
  readonly #report = faultReporter(SILENT, hostMask());
  #asked = 0;
  #isClosed = false;

  static {
    inspectable(Approvals, "Approvals", (self) => {
      const { size } = self.#readers;
      return { pending: self.pending().length, asked: self.#asked, readers: size };
    });
  }

  constructor(options: ApprovalsOptions) {
    this.#options = options;
    Object.assign(this.canUseTool, { [HANDS_ON]: true });
  }

  /**
   * The option `canUseTool` of a session, a call or a query.
   *
   * @example
   * ```ts
   * const { canUseTool, onElicitation } = approvals;
   * const session = await openSession({ canUseTool, onElicitation });
   * ```
   */
  readonly canUseTool: CanUseTool = async (tool, input, context) => {
    const approval = describeCall(tool, input, context, this.#frame());
    const decision = await this.#ask(approval, context.signal);
    return permissionResult(approval, decision ?? WITHDRAWN);
  };

  /** The option `onElicitation` of a session, a call or a query. */
  readonly onElicitation: OnElicitation = async (request, context) => {
    const approval = describeElicitation(request, context, this.#frame());
    const decision = await this.#ask(approval, context.signal);
    return elicitationResult(decision ?? CANCEL);
  };

  /**
   * The questions that wait for an answer, the oldest first.
   *
   * @example
   * ```ts
   * for (const { id, summary } of approvals.pending()) console.log(id, summary);
   * ```
   */
  pending(): Approval[] {
    const entries = [...this.#entries.values()].filter(({ state }) => state === "pending");
    return entries.map(({ approval }) => approval);
  }

  /** The audit records of the newest questions that have ended, the oldest first. */
  records(): ApprovalRecord[] {
    return [...this.#records];
  }

  /**
   * Answers a question. The first answer counts. The result is `"too_late"` if the question was answered,
   * has expired or was withdrawn before. Rejects with `invalid_options` if the decision does not fit the
   * question, and if there never was a question with this id. The question then stays open.
   *
   * @example
   * ```ts
   * const result = await approvals.answer(id, { behavior: "allow" }, { by: "ada@example.com" });
   * if (result === "too_late") console.log("Somebody else was faster.");
   * ```
   */
  async answer(
    id: string,
    decision: ApprovalDecision,
    { by }: { readonly by?: string | undefined } = {},
  ): Promise<"counted" | "too_late"> {
    throwIfInvalid(kind.string.problems(id, "id"));
    const entry = this.#entries.get(id);
    if (entry === undefined && !this.#wasAsked(id)) throw unknownId(id);
    if (entry?.state !== "pending") return "too_late";
    if (by !== undefined) throwIfInvalid(kind.string.problems(by, "by"));
    const checked = checkDecision(entry.approval, decision);
    this.#settle(entry, "answered", checked, omitUndefined({ by }));
    return "counted";
  }

  /** Denies every question that is pending and every later one, and ends all iterations. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const entry of [...this.#entries.values()]) {
      this.#settle(entry, "closed", refusalOf(entry.approval, CLOSED));
    }
    this.#grants.clear();
    for (const reader of this.#readers) reader.end();
    this.#readers.clear();
  }

  /** The same as `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The changes from now on. Any number of readers may read them. */
  [Symbol.asyncIterator](): AsyncIterableIterator<ApprovalChange> {
    const limit = this.#options.readerLimit ?? READER_LIMIT;
    const reader = new ChangeReader(limit, (each) => this.#readers.delete(each));
    for (const approval of this.pending()) reader.push({ type: "asked", approval });
    if (this.#isClosed) reader.end();
    else this.#readers.add(reader);
    return reader;
  }

  #frame(): ApprovalFrame {
    this.#asked += 1;
    const now = Date.now();
    const { ttlMs = Number.POSITIVE_INFINITY } = this.#options;
    return {
      id: `${this.#name}-${this.#asked}`,
      askedAt: new Date(now).toISOString(),
      ...(ttlMs > LONGEST_TIMER_MS ? {} : { expiresAt: new Date(now + ttlMs).toISOString() }),
    };
  }

  /** Whether the id is one of this object, without a memory of all ids. */
  #wasAsked(id: string): boolean {
    const number = Number(id.slice(this.#name.length + 1));
    return id === `${this.#name}-${number}` && number >= 1 && number <= this.#asked;
  }

  /** Resolves to undefined if the CLI waits no more. */
  #ask(approval: Approval, signal: AbortSignal): Promise<ApprovalDecision | undefined> {
    deepFreeze(approval);
    return new Promise((resolve) => {
      const startedAt = performance.now();
      const entry: Entry = { approval, resolve, startedAt, state: "pending" };
      const grant = this.#grantFor(approval);
      if (signal.aborted) this.#settle(entry, "withdrawn", undefined);
      else if (this.#isClosed) this.#settle(entry, "closed", refusalOf(approval, CLOSED));
      else if (grant !== undefined) this.#settleGranted(entry, grant);
      else this.#open(entry, signal);
    });
  }

  #open(entry: Entry, signal: AbortSignal): void {
    const { approval } = entry;
    this.#entries.set(approval.id, entry);
    entry.stopListening = listenForAbort(signal, () => {
      this.#settle(entry, "withdrawn", undefined);
    });
    const { ttlMs = Number.POSITIVE_INFINITY } = this.#options;
    entry.timer = startTimer(ttlMs, () => void this.#expire(entry))?.unref();
    this.#tell({ type: "asked", approval });
    publishAsked(approval);
  }

  async #expire(entry: Entry): Promise<void> {
    const { ttlMs = 0, onExpire = "deny" } = this.#options;
    const { approval } = entry;
    entry.state = "expiring";
    let decision = refusalOf(approval, expiryMessage(ttlMs));
    if (onExpire !== "deny") {
      try {
        const decided = Promise.resolve(onExpire(approval));
        const inTime = await withTimeout(decided, EXPIRE_LIMIT_MS, tooSlow, { holds: false });
        decision = checkDecision(approval, inTime);
      } catch (error) {
        // A question that was withdrawn or closed meanwhile has its ending.
        if (!this.#entries.has(approval.id)) return;
        this.#report(onExpire, "onExpire failed, so the question was denied", error);
      }
    }
    this.#settle(entry, "expired", decision, { code: "approval_expired" });
  }

  #settle(
    entry: Entry,
    outcome: ApprovalOutcome,
    decision: ApprovalDecision | undefined,
    ending: Ending = {},
  ): void {
    if (entry.state === "settled") return;
    entry.state = "settled";
    clearTimeout(entry.timer);
    entry.stopListening?.();
    const { approval } = entry;
    const wasOpen = this.#entries.delete(approval.id);
    entry.resolve(decision);
    const record = deepFreeze(
      approvalRecord(approval, {
        outcome,
        decision,
        settledAt: new Date().toISOString(),
        ...ending,
      }),
    );
    this.#record(record);
    // A question that was never open has no event of its start, so it has none of its end.
    if (wasOpen) publishSettled(approval, record, performance.now() - entry.startedAt);
    if (decision?.behavior === "allow" && decision.scope === "session") {
      this.#grant(approval, { grantedBy: approval.id, by: ending.by });
    }
  }

  #settleGranted(entry: Entry, { grantedBy, by }: Grant): void {
    const ending = omitUndefined({ grantedBy, by });
    this.#settle(entry, "granted", { behavior: "allow" }, ending);
  }

  /** Remembers what was allowed for the session, and answers the pending questions that it covers. */
  #grant(approval: Approval, grant: Grant): void {
    const { sessionId } = approval;
    const call = coveredCalls(approval);
    if (sessionId === undefined || call === undefined) return;
    this.#grants.add(sessionId, call, grant);
    for (const entry of [...this.#entries.values()]) {
      const isCovered =
        entry.approval.sessionId === sessionId && coveredCalls(entry.approval) === call;
      if (isCovered && entry.state === "pending") this.#settleGranted(entry, grant);
    }
  }

  #grantFor(approval: Approval): Grant | undefined {
    const call = coveredCalls(approval);
    if (approval.sessionId === undefined || call === undefined) return undefined;
    return this.#grants.find(approval.sessionId, call);
  }

  #record(record: ApprovalRecord): void {
    const { recordLimit = RECORD_LIMIT, onRecord } = this.#options;
    this.#records.push(record);
    if (this.#records.length > recordLimit) this.#records.shift();
    this.#tell({ type: record.outcome, id: record.id, record });
    if (onRecord === undefined) return;
    try {
      onRecord(record);
    } catch (error) {
      this.#report(onRecord, "onRecord failed", error);
    }
  }

  #tell(change: ApprovalChange): void {
    for (const reader of this.#readers) reader.push(change);
  }
}

/** Marks a `canUseTool` that hands its questions on. A registered symbol, because other packages mark theirs too. */
const HANDS_ON = Symbol.for("hawser.handsOn");

/** Whether a callback only hands its questions on, to a person or to a program that stands for one. */
export function handsOn(callback: CanUseTool): boolean {
  return HANDS_ON in callback;
}

const READER_LIMIT = 1000;
const RECORD_LIMIT = 1000;

/** How long the function `onExpire` may take. */
const EXPIRE_LIMIT_MS = 30_000;

function tooSlow(): never {
  throw new HawserError(
    "timeout",
    `onExpire did not decide within ${EXPIRE_LIMIT_MS / 1000} seconds.`,
  );
}

const CLOSED = "Nobody can approve this any more, so it was denied.";

/** The CLI does not read this answer, because it waits no more. */
const WITHDRAWN: ApprovalDecision = { behavior: "deny", message: "The question was withdrawn." };
const CANCEL: ApprovalDecision = { behavior: "cancel" };

/** What the model reads. */
function expiryMessage(ttlMs: number): string {
  const time = ttlMs < 1000 ? `${ttlMs} ms` : `${Math.round(ttlMs / 1000)} s`;
  return `Nobody answered this request for approval within ${time}, so it was denied. Do not repeat it unless the user asks for it.`;
}

function unknownId(id: unknown): HawserError {
  return new HawserError("invalid_options", "id is not the id of a question of these approvals.", {
    hint: "Use the `id` of a question that `pending()` or an iteration gives.",
    issues: [{ path: "id", message: `is not known: ${JSON.stringify(id)}` }],
  });
}
