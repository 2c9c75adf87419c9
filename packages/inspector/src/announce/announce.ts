import { rmSync } from "node:fs";
import { chmod, rename, rm, writeFile } from "node:fs/promises";
import type { Server } from "node:http";
import { join } from "node:path";
import { closeServer, httpServer, listen } from "../http/listen.js";
import type { Rights } from "../http/tokens.js";
import { PACKAGE_VERSION } from "../package-version.js";
import type { Source } from "../sources/source.js";
import { ensureRuntimeFolder, runtimeFolder } from "./runtime-folder.js";

/** A program that `hawser inspect` can find. */
export interface Announcement {
  /** Resolves when the program can be found, or to the error why it cannot. */
  readonly ready: Promise<unknown>;
  /** Removes the socket, and ends what goes through it. */
  close(): Promise<void>;
}

/** The file beside the socket of a program. */
export interface AnnouncedProgram {
  readonly id: string;
  readonly name: string;
  readonly kind: Source["info"]["kind"];
  readonly pid: number;
  readonly startedAt: number;
  readonly version: string;
}

/** Lowers the rights of a request over the socket. */
export const RIGHTS_HEADER = "x-hawser-rights";

/**
 * Offers the source over a unix socket. The kernel lets only this user connect, so no token is needed. The socket
 * does not keep the program running. A failure is a warning, because the program works without it.
 */
export function announce(source: Source, folder: string = runtimeFolder()): Announcement {
  const announcement = new SocketAnnouncement(source, folder);
  const ready = announcement.open().catch((error: Error) => {
    process.emitWarning(
      `hawser inspect cannot show this program: ${error.message}`,
      "HawserWarning",
    );
    return error;
  });
  return {
    ready,
    close: async () => {
      await ready;
      await announcement.close();
    },
  };
}

class SocketAnnouncement {
  readonly #source: Source;
  readonly #folder: string;
  readonly #socket: string;
  readonly #facts: string;
  readonly #server: Server;
  /** So that no file is left when the program ends. */
  readonly #onExit = () => {
    for (const file of [this.#socket, this.#facts]) rmSync(file, { force: true });
  };

  constructor(source: Source, folder: string) {
    this.#source = source;
    this.#folder = folder;
    this.#socket = join(folder, `${source.info.id}.sock`);
    this.#facts = join(folder, `${source.info.id}.json`);
    this.#server = httpServer((request) => source.fetch(request, rightsOf(request)));
  }

  async open(): Promise<undefined> {
    await ensureRuntimeFolder(this.#folder);
    await writeFile(this.#facts, JSON.stringify(this.#program()), { mode: 0o600 });
    process.once("exit", this.#onExit);
    // It gets its name when it listens. A program that found it earlier would take it for the socket of a dead one.
    const hidden = join(this.#folder, `.${this.#source.info.id}.sock`);
    await rm(hidden, { force: true });
    await listen(this.#server, { path: hidden });
    this.#server.unref();
    await chmod(hidden, 0o600);
    await rename(hidden, this.#socket);
    return undefined;
  }

  async close(): Promise<void> {
    process.off("exit", this.#onExit);
    this.#onExit();
    if (this.#server.listening) await closeServer(this.#server);
  }

  #program(): AnnouncedProgram {
    const { id, name, kind, pid = process.pid, startedAt = Date.now() } = this.#source.info;
    return { id, name, kind, pid, startedAt, version: PACKAGE_VERSION };
  }
}

function rightsOf({ headers }: Request): Rights {
  return headers.get(RIGHTS_HEADER) === "read" ? "read" : "control";
}
