import {
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { basename, join } from "node:path";
import type { PostgresBinaries } from "./locate-postgres.js";

/**
 * The environment in which the programs of a Postgres run. The shared libraries of the npm package need links that
 * its install script makes; npm may not have run the script, so the links are made in `folder`.
 */
export function postgresEnvironment(
  binaries: PostgresBinaries,
  folder: string,
): Record<string, string> {
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", LC_ALL: "C" };
  if (binaries.packageRoot === undefined) return env;
  const links = join(folder, `lib-${binaries.major}`);
  linkLibraries(binaries.packageRoot, links);
  const variable = process.platform === "darwin" ? "DYLD_LIBRARY_PATH" : "LD_LIBRARY_PATH";
  return { ...env, [variable]: `${links}:${join(binaries.packageRoot, "native/lib")}` };
}

function linkLibraries(packageRoot: string, links: string): void {
  mkdirSync(links, { recursive: true, mode: 0o755 });
  const list = readFileSync(join(packageRoot, "native/pg-symlinks.json"), "utf8");
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    linkTo(join(packageRoot, source), join(links, basename(target)));
  }
}

function linkTo(source: string, link: string): void {
  try {
    symlinkSync(source, link);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    if (!lstatSync(link).isSymbolicLink() || readlinkSync(link) === source) return;
    // The package was moved. Renamed into place, so that another program never finds the link missing.
    const next = `${link}.${process.pid}`;
    rmSync(next, { force: true });
    symlinkSync(source, next);
    renameSync(next, link);
  }
}
