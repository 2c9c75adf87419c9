import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { RunnablePostgres } from "./choose-binaries.js";
import { embeddedUnavailable } from "./embedded-unavailable.js";
import type { FolderOwner } from "./folder-owner.js";

/** Ends Postgres when the standard input ends: also if the program that started it is killed. */
const SCRIPT = `
bin=$1; data=$2; socket=$3; log=$4
shift 4
"$bin/postgres" -D "$data" -k "\\"$socket\\"" -c listen_addresses= "$@" </dev/null >>"$log" 2>&1 &
postgres=$!
while read -r line; do :; done
kill -INT "$postgres"
wait "$postgres"
`;

const START_TIMEOUT_MS = 60_000;

export interface TetheredOptions {
  readonly postgres: RunnablePostgres;
  readonly owner: FolderOwner;
  /** The folder that initdb made. */
  readonly data: string;
  /** An existing folder for the socket and the log. */
  readonly socket: string;
  readonly user: string;
  /** Further arguments, such as `-c fsync=off`. */
  readonly settings?: readonly string[];
}

/** A Postgres that belongs to this program alone, and ends with it. */
export class TetheredPostgres {
  readonly config: { readonly host: string; readonly user: string; readonly database: string };
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;

  private constructor(options: TetheredOptions) {
    const { postgres, owner, data, socket, user } = options;
    this.config = { host: socket, user, database: "postgres" };
    const log = join(socket, "log");
    this.#child = spawn(
      "/bin/sh",
      [
        "-c",
        SCRIPT,
        "hawser-postgres",
        postgres.binaries.bin,
        data,
        socket,
        log,
        ...(options.settings ?? []),
      ],
      {
        ...owner,
        env: postgres.env,
        cwd: "/",
        // Control-C in a terminal must not end it before this program has said so.
        detached: true,
        stdio: ["pipe", "ignore", "ignore"],
      },
    );
    this.#exited = once(this.#child, "exit");
    this.#exited.catch(() => undefined);
  }

  /** Starts Postgres, and waits until it answers. */
  static async start(options: TetheredOptions): Promise<TetheredPostgres> {
    const server = new TetheredPostgres(options);
    const until = performance.now() + START_TIMEOUT_MS;
    while (!(await server.#answers())) {
      if (performance.now() > until) {
        await server.stop();
        const log = readFileSync(join(options.socket, "log"), "utf8");
        throw embeddedUnavailable(`Postgres does not start: ${log.trim().slice(-1000)}`);
      }
      await sleep(20);
    }
    return server;
  }

  /** Resolves when Postgres has written everything and ended. */
  async stop(): Promise<void> {
    this.#child.stdin?.end();
    await this.#exited;
  }

  async #answers(): Promise<boolean> {
    const client = new pg.Client(this.config);
    // Without a listener, an error after the connection would end the program.
    client.on("error", () => {});
    try {
      await client.connect();
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
