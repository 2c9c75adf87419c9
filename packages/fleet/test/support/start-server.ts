import { execFile } from "node:child_process";
import { chownSync, cpSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { PostgresBinaries } from "../../src/database/embedded/locate-postgres.js";
import { postgresEnvironment } from "../../src/database/embedded/postgres-environment.js";
import { TetheredPostgres } from "../../src/database/embedded/tethered-postgres.js";

/** A Postgres for tests, in a temporary folder. It ends with this program. */
export interface TestServer {
  readonly url: string;
  /** The files of an empty cluster, as initdb made them. */
  readonly pristine: string;
  readonly stop: () => Promise<void>;
}

/** Fast instead of safe: nobody needs the data after a power failure. */
const SETTINGS = [
  "fsync=off",
  "full_page_writes=off",
  "synchronous_commit=off",
  "shared_buffers=64MB",
  "max_connections=400",
].flatMap((setting) => ["-c", setting]);

export async function startServer(binaries: PostgresBinaries): Promise<TestServer> {
  // Not in TMPDIR, because the path of a unix socket has at most 107 bytes.
  const folder = mkdtempSync("/tmp/hawser-test-postgres-");
  // Postgres refuses to run as root.
  const owner = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid);
  const env = postgresEnvironment(binaries, folder);
  const data = join(folder, "data");
  await promisify(execFile)(
    join(binaries.bin, "initdb"),
    ["-D", data, "-A", "trust", "-U", "hawser", "-E", "UTF8", "--no-locale", "--no-sync"],
    { ...owner, env, cwd: folder },
  );
  const pristine = join(folder, "pristine");
  cpSync(data, pristine, { recursive: true });
  const server = await TetheredPostgres.start({
    postgres: { binaries, env },
    owner,
    data,
    socket: folder,
    user: "hawser",
    settings: SETTINGS,
  });
  return {
    url: `postgres://hawser@localhost/postgres?host=${encodeURIComponent(folder)}`,
    pristine,
    stop: async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
