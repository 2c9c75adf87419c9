import type { SessionOptions } from "hawser";
import type { Fleet } from "../fleet.js";
import type { RunInfo } from "../runs/run.js";
import type { Worker } from "../worker/worker.js";
import { adviseWorker, isServed, workerCommand } from "./advise-worker.js";
import type { FleetPlace } from "./open-place.js";
import { oneLine } from "./printable.js";
import type { CommandShell } from "./shell.js";

export interface OwnWorkerOptions {
  readonly place: FleetPlace;
  readonly profile: string;
  readonly queue: string;
  /** Where the runs work; without it, each in an empty folder that is removed. */
  readonly cwd: string | undefined;
  /** Whether this program may work itself. Otherwise it only says that no worker lives. */
  readonly mayWork: boolean;
}

/**
 * The worker that `submit --follow` starts in its own program if nobody else would work on the run. It knows only
 * the profile `default`. It looks again while the run is followed, because the worker that has the run now may end.
 */
export class OwnWorker implements AsyncDisposable {
  readonly #fleet: Fleet;
  readonly #shell: CommandShell;
  readonly #options: OwnWorkerOptions;
  readonly #stop = new AbortController();
  #worker: Worker | undefined;
  #hasAdvised = false;
  #looking: Promise<void> = Promise.resolve();

  /** Whether this program works on the run. */
  get isWorking(): boolean {
    return this.#worker !== undefined;
  }

  constructor(fleet: Fleet, shell: CommandShell, options: OwnWorkerOptions) {
    this.#fleet = fleet;
    this.#shell = shell;
    this.#options = options;
  }

  /** Looks for a living worker, now and then again every few seconds, until it works itself or is closed. */
  async start(): Promise<void> {
    await this.#look();
    this.#looking = this.#lookAgain();
  }

  /** Gives the run back if it has not ended, so that another worker can go on with it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#looking;
    await this.#worker?.close();
  }

  async #lookAgain(): Promise<void> {
    while (this.#worker === undefined && !this.#stop.signal.aborted) {
      await pause(LOOK_MS, this.#stop.signal);
      if (this.#stop.signal.aborted) return;
      // A database that does not answer for a moment is no reason to stop following.
      await this.#look().catch(() => {});
    }
  }

  async #look(): Promise<void> {
    const { place, profile, queue, mayWork } = this.#options;
    const isFolder = typeof place.database !== "string";
    // In a folder, a program that was killed a moment ago would count as a worker.
    const worksAtOnce = mayWork && place.isOffline && isFolder;
    if (!worksAtOnce && (await isServed(this.#fleet, queue))) return;
    const isPossible = mayWork && (place.isOffline || (isFolder && profile === "default"));
    const other = isPossible ? await this.#otherProfile() : undefined;
    if (isPossible && other === undefined) await this.#work();
    else if (!(await isServed(this.#fleet, queue))) this.#advise(other);
  }

  /** A run in the same queue that needs another profile: a worker without the profile would fail it. */
  async #otherProfile(): Promise<RunInfo | undefined> {
    const { queue } = this.#options;
    const open = ["queued", "held", "running", "waiting"] as const;
    for await (const run of this.#fleet.runs({ state: open })) {
      if (run.queue === queue && run.profile !== "default") return run;
    }
    return undefined;
  }

  async #work(): Promise<void> {
    const { place, queue, cwd } = this.#options;
    const { terminal, cliPath } = this.#shell;
    const options: SessionOptions = place.isOffline
      ? (await this.#shell.openWorld()).options
      : cliPath === undefined
        ? {}
        : { cliPath };
    if (!place.isOffline) {
      terminal.note(terminal.style.dim("no worker lives, so this program works on the run"));
    }
    this.#worker = await this.#fleet.work({
      profiles: { default: options },
      labels: [queue],
      ...(cwd === undefined ? {} : { workspace: async () => ({ cwd }) }),
    });
  }

  #advise(other: RunInfo | undefined): void {
    if (this.#hasAdvised) return;
    this.#hasAdvised = true;
    const { queue, place } = this.#options;
    if (other === undefined) {
      adviseWorker(this.#shell, place, queue);
      return;
    }
    const profile = JSON.stringify(oneLine(other.profile, 60));
    this.#shell.terminal.warn(
      `The run ${other.id.slice(0, 8)} in the queue ${queue} needs the profile ${profile}, which this program does not have. The run waits for a worker: ${workerCommand(place, queue)} --profiles <file>`,
    );
  }
}

/** How often is looked for a living worker. */
const LOOK_MS = 3000;

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
