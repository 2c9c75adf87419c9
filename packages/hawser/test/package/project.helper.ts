import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PACKAGE, REPOSITORY } from "../support/folders.js";
// Throws if the build is older than the source.
import "../support/built.js";

export interface PackedProject {
  readonly folder: string;
  readonly tarball: string;
  /** The package as it lies in the project's node_modules. */
  readonly installed: string;
}

/** A project of somebody else's with the packed package in it, and the types of Node: the package of this name. */
export function packedProject(nodeTypes = "@types/node"): PackedProject {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hawser-project-")));
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@types"), { recursive: true });
  const pack = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  execFileSync("npm", pack, { cwd: PACKAGE, stdio: ["ignore", "pipe", "ignore"] });
  const tarball = join(folder, readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "");
  execFileSync("tar", ["xzf", tarball, "-C", modules]);
  const installed = join(modules, "hawser");
  renameSync(join(modules, "package"), installed);
  const links = { "@types/node": nodeTypes, "undici-types": "undici-types" };
  for (const [name, target] of Object.entries(links)) {
    symlinkSync(join(REPOSITORY, "node_modules", target), join(modules, name));
  }
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  return { folder, tarball, installed };
}
