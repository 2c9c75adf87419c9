import { statSync } from "node:fs";
import { resolve } from "node:path";
import { guardLogger } from "../base/index.js";
import { CALLER_OPTIONS, encodeFields, encodePlain, type Options } from "../options/index.js";
import { currentFolderIfAny, hasCurrentVersion, locateCli } from "../process/index.js";
import type { LeaseRequest } from "../session/index.js";
import { type Binding, bindingOf } from "./binding.js";
import type { PoolSettings } from "./options.js";
import { recyclingObstacles } from "./recycling-obstacles.js";
import type { ResetRecords } from "./reset-records.js";

/**
 * Makes the binding of a request, once for all calls with the same options. A binding is used again only if
 * it would be made in the same way now. Each call compares:
 *
 * - the options, except those that concern one call only, by their contents;
 * - the environment and the current directory of this program;
 * - the file of the CLI and what is known of its version, and the working directory.
 *
 * Whether the search for the CLI still leads to that file is found out once a second, after a call.
 *
 * Options that name other files, or hold a function, are prepared for each call.
 */
export class BindingCache {
  readonly #settings: PoolSettings;
  readonly #records: ResetRecords;
  readonly #onNew: (binding: Binding) => void;
  /** By all that is compared by contents; the latest last. */
  readonly #known = new Map<string, Known>();
  /** Bindings that are being made. */
  readonly #pending = new Map<string, Promise<Binding>>();

  /** `onNew` gets every binding that was made, and none twice. */
  constructor(settings: PoolSettings, records: ResetRecords, onNew: (binding: Binding) => void) {
    this.#settings = settings;
    this.#records = records;
    this.#onNew = onNew;
  }

  /** Throws for wrong options, and for options that the isolation of the pool does not permit. */
  async of(request: LeaseRequest): Promise<Binding> {
    const { options } = request;
    const key = keyOf(request);
    if (key === undefined) return this.#make(request);
    const found = this.#find(key, options) ?? this.#pending.get(key);
    // Calls that share a binding go on in the order in which they came.
    const binding = await (found ?? this.#makeOnce(key, request));
    if (found !== undefined) repeatWarnings(binding, options);
    return binding;
  }

  #find(key: string, options: Options): Binding | undefined {
    const known = this.#known.get(key);
    if (known === undefined) return undefined;
    this.#known.delete(key);
    if (!isCurrent(known, options)) return undefined;
    known.usedAt = performance.now();
    this.#known.set(key, known);
    if (known.usedAt - known.searchedAt > SEARCH_AGAIN_MS) this.#searchAgain(key, known, options);
    return known.binding;
  }

  /** Searches for the CLI in the next turn of the event loop, for the next calls. */
  #searchAgain(key: string, known: Known, options: Options): void {
    known.searchedAt = known.usedAt;
    setImmediate(() => {
      const isSame = pathOfCli(options) === known.cliPath;
      if (!isSame && this.#known.get(key) === known) this.#known.delete(key);
    });
  }

  /** Calls that come before the binding is made share it. */
  #makeOnce(key: string, request: LeaseRequest): Promise<Binding> {
    if (!mayBeKept(request.options)) return this.#make(request);
    const making = this.#makeAndKeep(key, request).finally(() => this.#pending.delete(key));
    this.#pending.set(key, making);
    return making;
  }

  async #makeAndKeep(key: string, request: LeaseRequest): Promise<Binding> {
    const { options, purpose } = request;
    // A copy, because a getter may give the binding another value than it gave the key.
    const own = structuredClone(withoutCall(options));
    const cliPath = pathOfCli(own);
    const before = cliPath && placesOf(cliPath, own);
    const binding = await this.#make({ ...request, options: { ...options, ...own } });
    const { version, trace, location } = binding.prepared;
    const isWhole = version !== undefined && trace === undefined && !binding.isAlone;
    // While the CLI was asked for its version, its file or the environment may have changed.
    const isSteady = location.path === cliPath && before === placesOf(cliPath, own);
    const mayKeep = isWhole && isSteady && keyOf({ options: own, purpose }) === key;
    if (mayKeep) this.#keep(key, { binding, cliPath, places: before });
    return binding;
  }

  async #make(request: LeaseRequest): Promise<Binding> {
    const binding = await bindingOf(request, this.#settings.isolation, this.#records);
    this.#onNew(binding);
    return binding;
  }

  #keep(key: string, made: Pick<Known, "binding" | "cliPath" | "places">): void {
    const now = performance.now();
    for (const [oldest, { usedAt }] of this.#known) {
      const isStale = now - usedAt > this.#settings.idleMs || this.#known.size >= MOST;
      if (!isStale) break;
      this.#known.delete(oldest);
    }
    this.#known.set(key, { ...made, searchedAt: now, usedAt: now });
  }
}

interface Known {
  readonly binding: Binding;
  readonly cliPath: string;
  /** The files that the binding depends on, as they were when it was made. */
  readonly places: string;
  /** When the CLI was searched for, by `performance.now()`. */
  searchedAt: number;
  usedAt: number;
}

const MOST = 100;

/** The places to search may change at any time, but the search costs more than all other comparisons. */
const SEARCH_AGAIN_MS = 1_000;

function withoutCall(options: Options): Options {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !CALLER_OPTIONS.has(name)));
}

/**
 * All that is compared by contents, as a text. Undefined if the options cannot be compared. The text is not hashed,
 * because a hash costs more than the comparison, and the binding itself holds the environment too.
 */
function keyOf({ options, purpose }: Pick<LeaseRequest, "options" | "purpose">) {
  if (purpose === "session") return undefined;
  const own = encodeFields(options, CALLER_OPTIONS);
  if (own === undefined) return undefined;
  // The environment holds nothing but texts, so JSON tells any two apart, and it is native code.
  const parts = [own, encodePlain(currentFolderIfAny()), JSON.stringify(process.env)];
  return parts.join("");
}

/** Options whose process can be recycled name no file besides the CLI and the working directory. */
function mayBeKept(options: Options): boolean {
  const { cwd, user } = options;
  const isPlainFolder = cwd === undefined || resolve(cwd) === cwd;
  return isPlainFolder && user === undefined && recyclingObstacles(options).length === 0;
}

function isCurrent({ binding, cliPath, places }: Known, options: Options): boolean {
  return hasCurrentVersion(binding.prepared) && places === placesOf(cliPath, options);
}

function pathOfCli(options: Options): string | undefined {
  try {
    return locateCli(options).path;
  } catch {
    // No binding can be made either, and the attempt reports why.
    return undefined;
  }
}

function placesOf(cliPath: string, { cwd }: Options): string {
  // PWD may lead over links to the current directory, and the process then gets PWD as it is written.
  const folders = cwd === undefined ? [currentFolderIfAny(), process.env["PWD"]] : [cwd];
  return [fileAt(cliPath), ...folders.map((folder) => folder && folderAt(folder))].join();
}

/** Changes if the file is replaced, rewritten or gets other permissions. */
function fileAt(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return `${stat?.dev} ${stat?.ino} ${stat?.size} ${stat?.mtimeMs} ${stat?.ctimeMs}`;
}

function folderAt(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return `${stat?.dev} ${stat?.ino} ${stat?.isDirectory()}`;
}

/** A binding that is made has logged its warnings already. */
function repeatWarnings({ prepared }: Binding, { logger }: Options): void {
  const { invocation, mask } = prepared;
  if (logger === undefined || invocation.warnings.length === 0) return;
  const log = guardLogger(logger, mask);
  for (const warning of invocation.warnings) log.warn(warning);
}
