import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { hostMarks } from "./host-identity.js";
import type { MarkSearch, SearchResult } from "./process-table.js";
import { runInSlices } from "./steps.js";

/**
 * One search for all trees that are swept at the same moment. After each search there is a pause
 * that is twice as long, so that the ends of many processes leave time for other work.
 */
export class SharedSearch {
  readonly #search: () => MarkSearch;
  /** For the search that is about to start. A running search began too early for a new marker. */
  #markers: string[] = [];
  #isAnew = false;
  #next: Promise<SearchResult> | undefined;
  #running: Promise<unknown> | undefined;
  #restUntil = 0;

  constructor(search: () => MarkSearch) {
    this.#search = search;
  }

  /** With `anew`, every process is read again. */
  async find(marker: string, anew: boolean): Promise<SearchResult> {
    this.#markers.push(marker);
    this.#isAnew ||= anew;
    this.#next ??= this.#start();
    const { found, ...facts } = await this.#next;
    return { found: found.filter(({ value }) => value.includes(marker)), ...facts };
  }

  async #start(): Promise<SearchResult> {
    await this.#running;
    const restMs = this.#restUntil - performance.now();
    await (restMs > 0 ? delay(restMs) : nextTurn());
    const running = this.#run();
    this.#running = running;
    return running;
  }

  async #run(): Promise<SearchResult> {
    const [search, markers, begun] = [this.#search(), this.#markers, performance.now()];
    if (this.#isAnew) search.forget();
    this.#markers = [];
    this.#isAnew = false;
    this.#next = undefined;
    const result = await runInSlices(search.find(markers));
    const now = performance.now();
    this.#restUntil = now + 2 * (now - begun);
    return result;
  }
}

export const sharedSearch: SharedSearch = new SharedSearch(hostMarks);
