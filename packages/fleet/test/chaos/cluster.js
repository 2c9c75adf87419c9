// A private Postgres that can be restarted as if it had been killed.
import { execFile, spawn } from "node:child_process";
import { chownSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { locatePostgres } from "../../dist/database/embedded/locate-postgres.js";
import { postgresEnvironment } from "../../dist/database/embedded/postgres-environment.js";

const run = promisify(execFile);

/** Stops Postgres when the standard input ends: also if the chaos run is killed, perhaps while Postgres starts. */
const GUARD = `cat > /dev/null
for second in 1 2 3 4 5 6 7 8 9 10; do "$1/pg_ctl" stop -D "$2" -m immediate -s; sleep 1; done`;

export class Cluster {
  #folder;
  #bin;
  #how;
  #guard;
  #isRestarting = false;

  constructor(folder, bin, how) {
    this.#folder = folder;
    this.#bin = bin;
    this.#how = how;
    this.#guard = spawn("/bin/sh", ["-c", GUARD, "guard", bin, join(folder, "data")], {
      ...how,
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
    });
  }

  /** @param {string} folder A short path, because the socket is in there. */
  static async start(folder) {
    const [binaries] = await locatePostgres();
    if (binaries === undefined) throw new Error("There is no Postgres: run `npm ci`.");
    // Postgres refuses to run as root.
    const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    mkdirSync(folder);
    if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
    const how = { ...user, env: postgresEnvironment(binaries, folder), cwd: folder };
    const data = join(folder, "data");
    const settings = ["-A", "trust", "-U", "hawser", "-E", "UTF8", "--no-locale", "-N"];
    await run(join(binaries.bin, "initdb"), ["-D", data, ...settings], how);
    const cluster = new Cluster(folder, binaries.bin, how);
    await cluster.#control("start", ...cluster.#startOptions());
    return cluster;
  }

  get url() {
    return `postgres://hawser@localhost/postgres?host=${encodeURIComponent(this.#folder)}`;
  }

  /** All connections are cut and nothing is written any more. What was committed is found again by recovery. */
  async restart() {
    this.#isRestarting = true;
    await this.#control("restart", "-m", "immediate", ...this.#startOptions());
    this.#isRestarting = false;
  }

  get isRestarting() {
    return this.#isRestarting;
  }

  /** Ends a share of the connections. Returns how many. */
  async terminate(share) {
    const rows = await this.rows(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where backend_type = 'client backend' and pid <> pg_backend_pid() and random() < $1`,
      [share],
    );
    return rows.length;
  }

  /** @returns {Promise<any[]>} */
  async rows(sql, values = []) {
    const client = new pg.Client({ connectionString: this.url });
    client.on("error", () => {}); // The query rejects, too.
    await client.connect();
    try {
      return (await client.query(sql, values)).rows;
    } finally {
      await client.end().catch(() => {});
    }
  }

  async stop() {
    await this.#control("stop", "-m", "fast");
    this.#guard.kill();
  }

  #startOptions() {
    const options = `-k ${this.#folder} -c listen_addresses= -c max_connections=200`;
    return ["-l", join(this.#folder, "log"), "-o", options];
  }

  async #control(verb, ...args) {
    const data = join(this.#folder, "data");
    // Not by execFile(): Postgres would keep its pipes open, and the call would never end.
    const child = spawn(join(this.#bin, "pg_ctl"), [verb, "-D", data, "-w", "-s", ...args], {
      ...this.#how,
      stdio: "ignore",
    });
    const code = await new Promise((resolve, reject) => {
      child.once("exit", resolve);
      child.once("error", reject);
    });
    if (code !== 0) throw new Error(`pg_ctl ${verb} ended with ${code}; see ${this.#folder}/log.`);
  }
}
