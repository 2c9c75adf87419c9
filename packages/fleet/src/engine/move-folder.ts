import { execFile } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { HawserError } from "hawser";
import pg, { type ClientConfig } from "pg";
import { checked, type RunnablePostgres } from "../database/embedded/choose-binaries.js";
import {
  type ClusterFolder,
  majorOf,
  makeClusterFolder,
} from "../database/embedded/cluster-folder.js";
import { embeddedUnavailable } from "../database/embedded/embedded-unavailable.js";
import { lockFolder } from "../database/embedded/folder-lock.js";
import { type FolderOwner, folderOwner } from "../database/embedded/folder-owner.js";
import {
  locatePostgres,
  type PostgresBinaries,
  postgresIn,
} from "../database/embedded/locate-postgres.js";
import { TetheredPostgres } from "../database/embedded/tethered-postgres.js";
import { migrate } from "../database/migrations.js";
import { openServer } from "../database/postgres/open-server.js";
import type { PostgresDatabase } from "../database/postgres/postgres-database.js";
import { copyFleet } from "./copy-fleet.js";
import { openEngine } from "./open-engine.js";

export interface MoveOptions {
  /** The folder of the database, as in `openFleet({ database: { folder } })`. */
  readonly folder: string;
  /** The folder with the programs of the old version. @default where the system and npm have them */
  readonly from?: string;
  /** The folder with the programs of the new version. @default HAWSER_POSTGRES, or the newest on this machine */
  readonly to?: string;
}

export interface MoveReport {
  readonly from: number;
  readonly to: number;
  readonly rows: number;
  /** Where the old data is. It is not needed any more. */
  readonly kept: string;
}

/**
 * Moves the database of a folder to another major version of Postgres. The old data stays as it is, beside the new.
 * Throws `embedded_unavailable` if programs use the folder, or if one of the versions is not on this machine.
 */
export async function moveFolder(options: MoveOptions): Promise<MoveReport> {
  const folder = makeClusterFolder(options.folder);
  const major = majorOf(folder);
  if (major === undefined) {
    throw new HawserError("invalid_options", `There is no database in ${folder.path}.`);
  }
  const owner = await folderOwner(folder);
  const [oldPostgres, newPostgres] = await chooseVersions(folder, owner, major, options);
  const unlock = await lockFolder(folder, owner);
  try {
    const target = join(folder.path, "data.move");
    rmSync(target, { recursive: true, force: true });
    await promisify(execFile)(
      join(newPostgres.binaries.bin, "initdb"),
      [
        "-D",
        target,
        "-A",
        "trust",
        "-U",
        "hawser",
        "-E",
        "UTF8",
        "--no-locale",
        "--no-instructions",
      ],
      { ...owner, env: newPostgres.env, cwd: "/" },
    );
    const rows = await copyData({ owner, oldPostgres, newPostgres, source: folder.data, target });
    const kept = swap(folder, target, major);
    return { from: major, to: newPostgres.binaries.major, rows, kept };
  } finally {
    unlock();
  }
}

async function chooseVersions(
  folder: ClusterFolder,
  owner: FolderOwner,
  major: number,
  options: MoveOptions,
): Promise<[old: RunnablePostgres, new: RunnablePostgres]> {
  const { HAWSER_POSTGRES: named, ...env } = process.env;
  const all = await locatePostgres(env);
  const from = (await givenPostgres(options.from)) ?? all.find((one) => one.major === major);
  if (from?.major !== major) {
    throw embeddedUnavailable(
      `Postgres ${major} made the database, and it is not on this machine.`,
      {
        hint: `Install Postgres ${major}, or name the folder of its programs (--from).`,
      },
    );
  }
  const wanted = options.to ?? (named === "" ? undefined : named);
  const newest = all.filter((one) => one.major > major).sort((a, b) => b.major - a.major)[0];
  const to = wanted === undefined ? newest : await givenPostgres(wanted);
  if (to === undefined || to.major === major) {
    throw embeddedUnavailable(`There is no Postgres on this machine that is newer than ${major}.`, {
      hint: "Name the folder of its programs (--to).",
    });
  }
  return [await checked(from, folder, owner), await checked(to, folder, owner)];
}

async function givenPostgres(bin: string | undefined): Promise<PostgresBinaries | undefined> {
  return bin === undefined ? undefined : await postgresIn(bin);
}

async function copyData(parts: {
  readonly owner: FolderOwner;
  readonly oldPostgres: RunnablePostgres;
  readonly newPostgres: RunnablePostgres;
  readonly source: string;
  readonly target: string;
}): Promise<number> {
  const { owner, oldPostgres, newPostgres, source, target } = parts;
  const sockets = mkdtempSync("/tmp/hawser-move-");
  chmodSync(sockets, 0o755);
  const servers: TetheredPostgres[] = [];
  const start = async (postgres: RunnablePostgres, data: string) => {
    const socket = join(sockets, String(servers.length));
    mkdirSync(socket, { mode: 0o700 });
    if (owner.uid !== undefined && owner.gid !== undefined) chownSync(socket, owner.uid, owner.gid);
    const server = await TetheredPostgres.start({ postgres, owner, data, socket, user: "hawser" });
    servers.push(server);
    return server.config;
  };
  try {
    return await copyAll(await start(oldPostgres, source), await start(newPostgres, target));
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    rmSync(sockets, { recursive: true, force: true });
  }
}

/** Copies every fleet of one server to the other. */
async function copyAll(from: ClientConfig, to: ClientConfig): Promise<number> {
  let rows = 0;
  for (const schema of await findFleets(from)) {
    // Both get the tables of this version first, so that the rows fit.
    const source = await openSchema(from, schema);
    const target = await openSchema(to, schema);
    rows += await copyFleet(source, target);
    await target.query("analyze");
    await source.close();
    await target.close();
  }
  return rows;
}

/** Both servers are on this machine and belong to this program, so that a slow statement is a large table. */
const STATEMENT_TIMEOUT_MS = 24 * 60 * 60 * 1000;

async function openSchema(config: ClientConfig, schema: string): Promise<PostgresDatabase> {
  const statementTimeoutMs = STATEMENT_TIMEOUT_MS;
  const database = openServer(config, { schema, logger: undefined, statementTimeoutMs });
  await migrate(database, { mayChange: true });
  const engine = await openEngine(database);
  await engine.close();
  return database;
}

/** The schemas with the tables of a fleet. What is not ours would be missing in the new database: it is refused. */
async function findFleets(config: ClientConfig): Promise<string[]> {
  const client = new pg.Client(config);
  // The statements report a lost connection. Without a listener, it would also end the program.
  client.on("error", () => {});
  await client.connect();
  try {
    const { rows: fleets } = await client.query<{ schema: string }>(
      `select n.nspname as schema from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relname = 'schema_version' and c.relkind = 'r' order by 1`,
    );
    const schemas = fleets.map(({ schema }) => schema);
    const { rows: others } = await client.query<{ name: string }>(
      `select format('%I.%I', n.nspname, c.relname) as name
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'p', 'm') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
         and n.nspname <> all ($1) order by 1 limit 10`,
      [schemas.flatMap((schema) => [schema, `${schema}_boss`])],
    );
    if (others.length === 0) return schemas;
    const names = others.map(({ name }) => name).join(", ");
    throw new HawserError(
      "not_supported",
      `The database has tables that no fleet has made: ${names}.`,
      { hint: "Move the whole database with pg_dump, or drop these tables first." },
    );
  } finally {
    await client.end();
  }
}

/** The name `data.moved` says that the new data is complete: the next start uses it if this program ends in between. */
function swap(folder: ClusterFolder, target: string, major: number): string {
  let kept = join(folder.path, `data-${major}`);
  for (let at = 2; existsSync(kept); at += 1) kept = join(folder.path, `data-${major}-${at}`);
  const complete = join(folder.path, "data.moved");
  rmSync(complete, { recursive: true, force: true });
  renameSync(target, complete);
  renameSync(folder.data, kept);
  renameSync(complete, folder.data);
  return kept;
}
