import { type FSWatcher, watch } from "node:fs";
import { lstat, readdir, readFile, rm } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import type { Source, SourceInfo, Sources } from "../sources/source.js";
import type { AnnouncedProgram } from "./announce.js";
import {
  checkOwnSocket,
  checkRuntimeFolder,
  ensureRuntimeFolder,
  isOwn,
  runtimeFolder,
} from "./runtime-folder.js";
import { SocketSource } from "./socket-source.js";

/**
 * The programs of this user that have announced themselves. The folder is watched, and looked at each second,
 * because not every file system tells changes, and a program that was killed tells nothing.
 */
export class AnnouncedPrograms implements Sources {
  readonly #folder: string;
  readonly #listeners = new Set<() => void>();
  #sources: readonly Source[] = [];
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #looksAgain = false;

  constructor(folder: string = runtimeFolder()) {
    this.#folder = folder;
  }

  /** Looks for the first time. Throws if the folder cannot be trusted. */
  async open(): Promise<void> {
    await ensureRuntimeFolder(this.#folder);
    this.#watcher = this.#watch();
    this.#watcher?.on("error", () => this.#watcher?.close());
    this.#timer = setInterval(() => this.#lookSoon(), LOOK_MS).unref();
    await this.look();
  }

  /** Undefined if the system has no room for another watcher. Then the timer is all that looks. */
  #watch(): FSWatcher | undefined {
    try {
      return watch(this.#folder, { persistent: false }, () => this.#lookSoon());
    } catch {
      return undefined;
    }
  }

  close(): void {
    this.#watcher?.close();
    clearInterval(this.#timer);
  }

  list(): readonly Source[] {
    return this.#sources;
  }

  listen(onChange: () => void): () => void {
    this.#listeners.add(onChange);
    return () => this.#listeners.delete(onChange);
  }

  /** Resolves when the folder was read after this call. */
  async look(): Promise<void> {
    if (this.#looking !== undefined) {
      this.#looksAgain = true;
      return this.#looking;
    }
    this.#looking = this.#lookUntilQuiet();
    try {
      await this.#looking;
    } finally {
      this.#looking = undefined;
    }
  }

  /** A look that fails is followed by another one in a second. */
  #lookSoon(): void {
    this.look().catch(() => {});
  }

  async #lookUntilQuiet(): Promise<void> {
    do {
      this.#looksAgain = false;
      const names = await this.#names();
      const ids = names.flatMap((name) => /^(\d[\w-]*)\.sock$/.exec(name)?.[1] ?? []);
      const sources = await Promise.all(ids.map((id) => this.#sourceOf(id)));
      this.#take(sources.filter((source) => source !== undefined));
    } while (this.#looksAgain);
  }

  /**
   * The files of the folder. Each time, the folder must be one of this user: another user may have made one in place of
   * a folder that was removed. A folder that is missing, or that cannot be read or trusted, has no programs.
   */
  async #names(): Promise<readonly string[]> {
    try {
      await checkRuntimeFolder(this.#folder);
      return await readdir(this.#folder);
    } catch {
      return [];
    }
  }

  /** Undefined if the program is dead, or not of this user. The files of a dead one are removed. */
  async #sourceOf(id: string): Promise<Source | undefined> {
    const socket = join(this.#folder, `${id}.sock`);
    const facts = join(this.#folder, `${id}.json`);
    try {
      await checkOwnSocket(socket);
    } catch {
      return undefined;
    }
    if ((await stateOf(socket)) === "dead") {
      // What cannot be removed is looked at again.
      const files = [socket, facts].map((file) => rm(file, { force: true }).catch(() => {}));
      await Promise.all(files);
      return undefined;
    }
    const known = this.#sources.find(({ info }) => info.id === id);
    if (known !== undefined) return known;
    const info = await readInfo(id, facts);
    return info && new SocketSource(info, socket);
  }

  #take(sources: readonly Source[]): void {
    const ids = (list: readonly Source[]) => list.map(({ info }) => info.id).join(" ");
    const isSame = ids(sources) === ids(this.#sources);
    this.#sources = sources;
    if (!isSame) for (const listener of [...this.#listeners]) listener();
  }
}

const LOOK_MS = 1000;
const CONNECT_MS = 2000;

/** A socket without a program refuses the connection. A program that is busy or frozen is alive. */
function stateOf(path: string): Promise<"alive" | "dead"> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const end = (state: "alive" | "dead") => {
      socket.destroy();
      resolve(state);
    };
    socket.setTimeout(CONNECT_MS, () => end("alive"));
    socket.once("connect", () => end("alive"));
    // It stays: an error without a listener would end the program.
    socket.on("error", ({ code }: NodeJS.ErrnoException) => {
      end(code === "ECONNREFUSED" || code === "ENOENT" ? "dead" : "alive");
    });
  });
}

async function readInfo(id: string, file: string): Promise<SourceInfo | undefined> {
  try {
    const found = await lstat(file);
    if (!found.isFile() || !isOwn(found) || found.size > MOST_BYTES) return undefined;
    const { name, kind, pid, startedAt } = JSON.parse(
      await readFile(file, "utf8"),
    ) as AnnouncedProgram;
    return {
      id,
      name: String(name).slice(0, LONGEST_NAME),
      kind: KINDS.has(kind) ? kind : "process",
      pid: Number(pid),
      startedAt: Number(startedAt),
      isSelf: false,
    };
  } catch {
    // A program that ends now removes its files.
    return undefined;
  }
}

const MOST_BYTES = 65_536;
const LONGEST_NAME = 200;
const KINDS: ReadonlySet<string> = new Set(["process", "gateway", "fleet", "machine"]);
