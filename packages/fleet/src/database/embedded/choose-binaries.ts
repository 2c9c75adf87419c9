import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { type ClusterFolder, majorOf } from "./cluster-folder.js";
import { embeddedUnavailable } from "./embedded-unavailable.js";
import type { FolderOwner } from "./folder-owner.js";
import { locatePostgres, type PostgresBinaries } from "./locate-postgres.js";
import { postgresEnvironment } from "./postgres-environment.js";

/** Programs of Postgres, and the environment that they need. */
export interface RunnablePostgres {
  readonly binaries: PostgresBinaries;
  readonly env: Record<string, string>;
}

/** The Postgres for a folder: one of the version that made it, and else the preferred one. */
export async function chooseBinaries(
  folder: ClusterFolder,
  owner: FolderOwner,
): Promise<RunnablePostgres> {
  const found = await locatePostgres();
  if (found.length === 0) {
    const named = process.env["HAWSER_POSTGRES"];
    throw embeddedUnavailable(
      named === undefined || named === ""
        ? "No Postgres was found on this machine."
        : `HAWSER_POSTGRES is ${named}, and there are no programs postgres and initdb that run.`,
    );
  }
  const major = majorOf(folder);
  const fitting = found.filter((one) => major === undefined || one.major === major);
  if (fitting.length === 0) throw otherMajor(folder, major as number, found);
  let failure: unknown;
  for (const binaries of fitting) {
    try {
      return await checked(binaries, folder, owner);
    } catch (error) {
      failure ??= error;
    }
  }
  throw embeddedUnavailable(
    `Postgres does not run on this machine: ${(failure as Error).message.trim()}`,
    { cause: failure },
  );
}

/** Runs the program as the owner of the folder, who may not reach it, or may lack a library. */
export async function checked(
  binaries: PostgresBinaries,
  folder: ClusterFolder,
  owner: FolderOwner,
): Promise<RunnablePostgres> {
  const env = postgresEnvironment(binaries, folder.path);
  await promisify(execFile)(join(binaries.bin, "postgres"), ["--version"], {
    ...owner,
    env,
    cwd: "/",
    timeout: 30_000,
  });
  return { binaries, env };
}

function otherMajor(folder: ClusterFolder, major: number, found: readonly PostgresBinaries[]) {
  const versions = found.map((one) => `${one.major} (${one.bin})`).join(", ");
  return embeddedUnavailable(
    `Postgres ${major} made the database in ${folder.path}, and this machine has Postgres ${versions}.`,
    {
      hint: `Move it with \`hawser fleet move\`, which needs the programs of both versions, or install Postgres ${major}.`,
    },
  );
}
