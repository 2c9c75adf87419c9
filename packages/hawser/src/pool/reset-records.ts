import { isHawserError, type Logger, textOf } from "../base/index.js";
import type { Version } from "../options/index.js";
import type { Prepared } from "../process/index.js";
import { isKnownSince } from "./deferred-options.js";

/** An executable whose processes serve only one call each, although the options would permit more. */
export interface NotRecycled {
  readonly cliPath: string;
  /** The output of the executable for `--version`. */
  readonly version: string;
  /**
   * `old_version`: this version is not known to forget a conversation. `unknown_version`: the CLI did
   * not say its version. `reset_unconfirmed`: a reset was tried and not confirmed; the pool tries
   * again later.
   */
  readonly reason: "old_version" | "unknown_version" | "reset_unconfirmed";
}

/** The record of resets for each executable that the calls of a pool use. */
export class ResetRecords {
  readonly #log: Logger;
  /** By path. An executable that was replaced by another version gets a new record. */
  readonly #records = new Map<string, ResetRecord>();
  readonly #now: () => number;

  constructor(log: Logger, now: () => number = () => performance.now()) {
    this.#log = log;
    this.#now = now;
  }

  of({ location, version, versionText }: Prepared): ResetRecord {
    const known = this.#records.get(location.path);
    if (known !== undefined && known.cli.version === versionText) return known;
    const cli = { path: location.path, version: versionText };
    const record = new ResetRecord(cli, unfitVersion(version), this.#log, this.#now);
    this.#records.delete(location.path);
    this.#records.set(location.path, record);
    const [oldest] = this.#records.keys();
    if (this.#records.size > MOST && oldest !== undefined) this.#records.delete(oldest);
    return record;
  }

  notRecycled(): readonly NotRecycled[] {
    return [...this.#records.values()].flatMap((record) => record.notRecycled ?? []);
  }
}

/**
 * The resets of one executable. Callers wait for a reset as long as the executable is not in doubt. An
 * executable that did not confirm its resets is in doubt: the pool then tries one reset after each
 * pause, as a trial, and no caller waits for the trial. So an executable that cannot be reset costs its
 * callers nothing, and an executable that was slow for a while is recycled again.
 */
export class ResetRecord {
  readonly cli: { readonly path: string; readonly version: string };
  readonly #unfit: UnfitVersion | undefined;
  readonly #log: Logger;
  readonly #now: () => number;
  #hasConfirmed = false;
  /** Failures in a row. Resets that ran at the same time and failed together count as one. */
  #failures = 0;
  /** Grows with each confirmation and each failure that counts. */
  #outcomes = 0;
  #pausedUntil = 0;
  #hasTrial = false;

  constructor(
    cli: ResetRecord["cli"],
    unfit: UnfitVersion | undefined,
    log: Logger,
    now: () => number,
  ) {
    this.cli = cli;
    this.#unfit = unfit;
    this.#log = log;
    this.#now = now;
    if (unfit !== undefined)
      this.#warn({ hint: `Claude Code ${FORGETS.join(".")} or newer can serve more.` });
  }

  /** Whether a process may be reset now. An executable in doubt has one trial at a time. */
  get mayTry(): boolean {
    if (this.#unfit !== undefined) return false;
    return !this.#isDoubted || (!this.#hasTrial && this.#now() >= this.#pausedUntil);
  }

  /** Whether a caller may wait for a reset that begins now, because it is expected to succeed. */
  get mayBeAwaited(): boolean {
    return this.#unfit === undefined && !this.#isDoubted;
  }

  get notRecycled(): NotRecycled | undefined {
    if (this.mayBeAwaited) return undefined;
    const reason = this.#unfit ?? "reset_unconfirmed";
    return { cliPath: this.cli.path, version: this.cli.version, reason };
  }

  /**
   * Notes how a reset that begins now will end. Its failure does not count if the pool itself ended the
   * process, or if another reset was confirmed or has failed since this one began: resets that run at
   * the same time fail for the same reason.
   */
  async note<T>(reset: Promise<T>, wasGivenUp: () => boolean): Promise<T> {
    const outcomesBefore = this.#outcomes;
    const isTrial = this.#isDoubted;
    if (isTrial) this.#hasTrial = true;
    try {
      const confirmed = await reset;
      this.#confirm();
      return confirmed;
    } catch (error) {
      const isFirst = this.#outcomes === outcomesBefore;
      if (isFirst && !wasGivenUp() && isUnconfirmed(error)) this.#fail(error);
      throw error;
    } finally {
      if (isTrial) this.#hasTrial = false;
    }
  }

  get #isDoubted(): boolean {
    return this.#failures >= (this.#hasConfirmed ? TOLERATED : 1);
  }

  #confirm(): void {
    if (this.#isDoubted) this.#log.info("the CLI confirms resets again", { ...this.cli });
    this.#hasConfirmed = true;
    this.#outcomes += 1;
    this.#failures = 0;
    this.#pausedUntil = 0;
  }

  #fail(error: unknown): void {
    const wasDoubted = this.#isDoubted;
    this.#outcomes += 1;
    this.#failures += 1;
    if (!this.#isDoubted) return;
    this.#pausedUntil = this.#now() + pauseMs(this.#failures);
    if (!wasDoubted) this.#warn({ error: textOf(error) });
  }

  #warn(why: Record<string, string>): void {
    const reason = this.notRecycled?.reason;
    this.#log.warn("each process of this CLI serves one call only", {
      ...this.cli,
      reason,
      ...why,
    });
  }
}

type UnfitVersion = "old_version" | "unknown_version";

function unfitVersion(version: Version | undefined): UnfitVersion | undefined {
  if (version === undefined) return "unknown_version";
  return isKnownSince(version, FORGETS) ? undefined : "old_version";
}

/**
 * The oldest version on which the tests of the isolation run. Observed: up to 2.1.119 no reset is
 * confirmed; 2.1.120 confirms it with a new session id and no turns, and keeps the conversation.
 */
const FORGETS: Version = [2, 1, 197];

/** An executable that has confirmed a reset before is in doubt after so many failures in a row. */
const TOLERATED = 3;

const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 60 * 60_000;

function pauseMs(failures: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
}

/** The CLI answered too late, or not as it must. The death of a process says nothing about resets. */
function isUnconfirmed(error: unknown): boolean {
  return isHawserError(error, "timeout") || isHawserError(error, "protocol_error");
}

/** How many executables a pool remembers. */
const MOST = 100;
