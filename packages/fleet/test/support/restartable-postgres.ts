import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { locatePostgres } from "../../src/database/embedded/locate-postgres.js";
import { postgresEnvironment } from "../../src/database/embedded/postgres-environment.js";
import { TetheredPostgres } from "../../src/database/embedded/tethered-postgres.js";

/** A Postgres of its own for a test that kills it. Unlike that of the test run, it keeps what it has confirmed. */
export class RestartablePostgres {
  readonly url: string;
  readonly #folder: string;
  #server: TetheredPostgres | undefined;

  private constructor(folder: string) {
    this.#folder = folder;
    this.url = `postgres://hawser@localhost/postgres?host=${encodeURIComponent(folder)}`;
  }

  /** Undefined if the test run uses a server that was given to it. */
  static async start(): Promise<RestartablePostgres | undefined> {
    const { pristine } = inject("postgres");
    if (pristine === "") return undefined;
    const folder = mkdtempSync("/tmp/hawser-restartable-");
    execFileSync("cp", ["-R", pristine, join(folder, "data")]);
    if (process.getuid?.() === 0) {
      chownSync(folder, 65534, 65534);
      execFileSync("chown", ["-R", "65534:65534", join(folder, "data")]);
    }
    chmodSync(join(folder, "data"), 0o700);
    const postgres = new RestartablePostgres(folder);
    await postgres.restart();
    return postgres;
  }

  /** Ends the server at once and without a word, as `pg_ctl stop -m immediate` does. */
  async kill(): Promise<void> {
    const file = join(this.#folder, "data", "postmaster.pid");
    const pid = Number(readFileSync(file, "utf8").split("\n")[0]);
    process.kill(pid, "SIGQUIT");
    await this.#server?.stop();
    this.#server = undefined;
  }

  async restart(): Promise<void> {
    const [binaries] = await locatePostgres();
    if (binaries === undefined) throw new Error("There is no Postgres.");
    const owner = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    this.#server = await TetheredPostgres.start({
      postgres: { binaries, env: postgresEnvironment(binaries, this.#folder) },
      owner,
      data: join(this.#folder, "data"),
      socket: this.#folder,
      user: "hawser",
      settings: ["-c", "max_connections=200"],
    });
  }

  async dispose(): Promise<void> {
    await this.#server?.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
