import { execFile, spawn } from "node:child_process";
import { closeSync, constants, existsSync, lstatSync, openSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { HawserError, Logger } from "hawser";
import { chooseBinaries } from "./choose-binaries.js";
import {
  type ClusterFolder,
  isSafeSocketFolder,
  logTail,
  makeClusterFolder,
  SOCKET_NAME,
} from "./cluster-folder.js";
import { embeddedUnavailable } from "./embedded-unavailable.js";
import { type FolderOwner, folderOwner } from "./folder-owner.js";
import { SUPERVISOR_SCRIPT } from "./supervisor-script.js";

/** How long a start may take: initdb on a slow disk, or the recovery after a crash. */
const START_TIMEOUT_MS = 120_000;
const POLL_MS = 20;
/** A supervisor that was killed may leave its watcher behind, which looks as if it still ran. */
const START_AGAIN_MS = 2_000;

const FAILURES: Readonly<Record<number, string>> = {
  3: "A file in the folder cannot be written.",
  4: "initdb failed.",
  5: "The folder `data` in it is not a database of Postgres.",
  6: "Postgres ends again and again.",
  7: "Neither of the programs flock and perl is on this machine. One of them is needed for a lock.",
};

/**
 * The Postgres in a folder, as one of its users sees it. The first user starts it. It stops when the last user has
 * gone, also if that was killed.
 */
export class Cluster {
  readonly folder: ClusterFolder;
  readonly #logger: Logger | undefined;
  /** While this is open, Postgres is kept running. */
  #held: number | undefined;
  #owner: FolderOwner | undefined;
  #starting: Promise<void> | undefined;
  #isReleased = false;

  constructor(folder: string, logger: Logger | undefined) {
    if (process.platform === "win32") {
      throw embeddedUnavailable("A database in a folder needs Linux or macOS.");
    }
    this.folder = makeClusterFolder(folder);
    this.#logger = logger;
  }

  /** Resolves when Postgres accepts connections. Cheap if it runs already. */
  ensure(): Promise<void> {
    if (this.#isReleased) return Promise.resolve();
    this.#starting ??= this.#ensure().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  /** This program does not need the database any more. */
  release(): void {
    this.#isReleased = true;
    if (this.#held !== undefined) closeSync(this.#held);
    this.#held = undefined;
  }

  async #ensure(): Promise<void> {
    if (!(await this.#isReady())) await this.#start();
    if (this.#isReleased || isSafeSocketFolder(this.folder)) return;
    throw embeddedUnavailable(
      `The folder ${this.folder.socket}, which is for the socket, belongs to another user.`,
      { hint: "Choose a folder for the database with a shorter path." },
    );
  }

  /**
   * The order matters: see the supervisor's script on `ready`. The file is left behind if the supervisor is killed, so
   * that the socket must answer as well.
   */
  async #isReady(): Promise<boolean> {
    if (this.#held === undefined) this.#held = this.#open();
    return (
      this.#held !== undefined &&
      existsSync(this.folder.ready) &&
      this.#isSupervised() &&
      (await answers(join(this.folder.socket, SOCKET_NAME)))
    );
  }

  async #start(): Promise<void> {
    const owner = await this.#makeFifo();
    const until = performance.now() + START_TIMEOUT_MS;
    const failures: HawserError[] = [];
    let startedAt = Number.NEGATIVE_INFINITY;
    while (!(await this.#isReady())) {
      if (this.#isReleased) return;
      const now = performance.now();
      if (failures[0] !== undefined) throw failures[0];
      if (now > until) throw this.#failed("It did not start in time.");
      const isMissing = this.#held === undefined || !this.#isSupervised();
      if (now - startedAt > (isMissing ? START_AGAIN_MS / 4 : START_AGAIN_MS)) {
        startedAt = now;
        await this.#startSupervisor(owner, (failure) => failures.push(failure));
      }
      await sleep(POLL_MS);
    }
  }

  async #startSupervisor(
    owner: FolderOwner,
    onFailure: (failure: HawserError) => void,
  ): Promise<void> {
    const { binaries, env } = await chooseBinaries(this.folder, owner);
    const { path, socket } = this.folder;
    const child = spawn(
      "/bin/sh",
      ["-c", 'eval "$HAWSER_SUPERVISOR"', "hawser-database", binaries.bin, path, socket],
      {
        ...owner,
        // Not as an argument, because `ps` would show it.
        env: { ...env, HAWSER_SUPERVISOR: SUPERVISOR_SCRIPT },
        cwd: "/",
        detached: true,
        stdio: "ignore",
      },
    );
    child.on("error", (error) => {
      onFailure(
        embeddedUnavailable(`Postgres cannot be started: ${error.message}`, { cause: error }),
      );
    });
    child.on("exit", (code) => {
      // A supervisor that was killed is started again.
      if (code === 0 || code === null) return;
      onFailure(this.#failed(FAILURES[code] ?? `Its supervisor ended with ${code}.`));
    });
    child.unref();
    this.#logger?.debug("Starting the Postgres of a folder.", { folder: path, bin: binaries.bin });
  }

  async #makeFifo(): Promise<FolderOwner> {
    this.#owner ??= await folderOwner(this.folder);
    if (!existsSync(this.folder.alive)) {
      await promisify(execFile)("mkfifo", ["-m", "600", this.folder.alive], {
        ...this.#owner,
        cwd: "/",
      }).catch((error: unknown) => {
        // Another program may have been faster.
        if (existsSync(this.folder.alive)) return;
        throw embeddedUnavailable(
          (error as NodeJS.ErrnoException).code === "ENOENT"
            ? "The program mkfifo is missing on this machine."
            : `The folder ${this.folder.path} takes no FIFO: ${(error as Error).message.trim()}`,
          { cause: error },
        );
      });
    }
    if (!lstatSync(this.folder.alive).isFIFO()) {
      throw embeddedUnavailable(`${this.folder.alive} is not a FIFO.`, {
        hint: "Choose another folder.",
      });
    }
    return this.#owner;
  }

  /** Whether a supervisor reads the FIFO. */
  #isSupervised(): boolean {
    const descriptor = this.#open();
    if (descriptor === undefined) return false;
    closeSync(descriptor);
    return true;
  }

  #open(): number | undefined {
    try {
      return openSync(this.folder.alive, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // ENXIO: nobody reads it. ENOENT: it was not made yet.
      if (code === "ENXIO" || code === "ENOENT") return undefined;
      throw embeddedUnavailable(
        `The folder ${this.folder.path} cannot be used: ${(error as Error).message}`,
        { hint: "Use a folder of your own, or pass the URL of a database.", cause: error },
      );
    }
  }

  #failed(why: string): HawserError {
    const tail = logTail(this.folder);
    return embeddedUnavailable(
      `The Postgres in ${this.folder.path} cannot be started. ${why}${tail === "" ? "" : ` Its log ends with:\n${tail}`}`,
    );
  }
}

/** Whether somebody listens on the socket. */
function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.on("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}
