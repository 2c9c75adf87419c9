import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** What each tenant has spent on a day. */
export interface SpendingLedger {
  /** US dollars of a tenant on a day of UTC, such as `2026-11-17`. */
  spent(tenant: string, day: string): number;
  /** `isEstimate` says that the answer was cut off, so that its real cost is not known. */
  add(tenant: string, day: string, usd: number, isEstimate?: boolean): void;
}

/** The folder of the user for the state of programs. */
export function stateFolderFor(env: NodeJS.ProcessEnv): string {
  const windows = process.platform === "win32" ? env["LOCALAPPDATA"] : undefined;
  const base =
    windows || env["XDG_STATE_HOME"] || join(env["HOME"] || homedir(), ".local", "state");
  return join(isAbsolute(base) ? base : join(homedir(), ".local", "state"), "hawser", "gateway");
}

/** The day of UTC of a time. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/**
 * A ledger in a folder: a file for each day, and a line for each request that cost something. A line is appended
 * before the next request is admitted, so a server that is killed loses nothing. It is read at the start, so two
 * servers on one folder do not see each other's spending until they start again.
 */
export class FileLedger implements SpendingLedger {
  readonly #folder: string;
  readonly #sums: DaySums = new DaySums();
  readonly #read = new Set<string>();
  readonly #onError: (error: unknown) => void;
  /** Otherwise the ledger is in memory only. */
  #canWrite = true;

  constructor(folder: string, onError: (error: unknown) => void) {
    this.#folder = folder;
    this.#onError = onError;
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      this.#removeOld();
    } catch (error) {
      this.#canWrite = false;
      onError(error);
    }
  }

  spent(tenant: string, day: string): number {
    this.#load(day);
    return this.#sums.spent(tenant, day);
  }

  add(tenant: string, day: string, usd: number, isEstimate = false): void {
    this.#load(day);
    this.#sums.add(tenant, day, usd);
    if (!this.#canWrite) return;
    const entry = { at: new Date().toISOString(), tenant, usd, ...(isEstimate && { isEstimate }) };
    const line = `${JSON.stringify(entry)}\n`;
    try {
      appendFileSync(this.#file(day), line, { mode: 0o600 });
    } catch (error) {
      // The sum in memory still counts.
      this.#onError(error);
    }
  }

  #load(day: string): void {
    if (this.#read.has(day) || !this.#canWrite) return;
    this.#read.add(day);
    try {
      for (const { tenant, usd } of entriesIn(this.#file(day))) this.#sums.add(tenant, day, usd);
    } catch (error) {
      // A request is booked when its answer is over. An error there would end the server.
      this.#onError(error);
    }
  }

  #file(day: string): string {
    return join(this.#folder, `spending-${day}.jsonl`);
  }

  #removeOld(): void {
    const oldest = dayOf(Date.now() - KEPT_DAYS * 86_400_000);
    for (const name of readdirSync(this.#folder)) {
      const day = /^spending-(\d{4}-\d\d-\d\d)\.jsonl$/.exec(name)?.[1];
      if (day !== undefined && day < oldest) rmSync(join(this.#folder, name), { force: true });
    }
  }
}

const KEPT_DAYS = 31;

/** A ledger in memory: it forgets everything when the program ends. */
export class DaySums implements SpendingLedger {
  #day = "";
  readonly #usd = new Map<string, number>();

  spent(tenant: string, day: string): number {
    return day === this.#day ? (this.#usd.get(tenant) ?? 0) : 0;
  }

  add(tenant: string, day: string, usd: number): void {
    if (day > this.#day) {
      this.#day = day;
      this.#usd.clear();
    }
    if (day === this.#day) this.#usd.set(tenant, (this.#usd.get(tenant) ?? 0) + usd);
  }
}

interface Entry {
  readonly tenant: string;
  readonly usd: number;
}

/** The last line of a machine that lost its power may be a part. */
function entriesIn(file: string): Entry[] {
  let source: string;
  try {
    source = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  return source.split("\n").flatMap((line) => {
    try {
      const { tenant, usd } = JSON.parse(line) as Partial<Entry>;
      return typeof tenant === "string" && typeof usd === "number" ? [{ tenant, usd }] : [];
    } catch {
      return [];
    }
  });
}
