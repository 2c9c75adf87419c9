import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const REPOSITORY = fileURLToPath(new URL("../../../../", import.meta.url));

/** The version of `ai` in a project of somebody else's. */
export type AiVersion = "ai 7" | "ai 6";

/** A project with the packed packages, a version of `ai`, and the types of Node. */
export function packedProject(version: AiVersion): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hawser-ai-project-")));
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  for (const name of ["hawser", "ai-sdk"]) unpack(name, modules);
  const own = version === "ai 7" ? "node_modules" : "node_modules/ai-6/node_modules";
  const links: Readonly<Record<string, string>> = {
    ai: version === "ai 7" ? "node_modules/ai" : "node_modules/ai-6",
    "@ai-sdk/provider": `${own}/@ai-sdk/provider`,
    ...(version === "ai 7" ? { "@ai-sdk/harness": `${own}/@ai-sdk/harness` } : {}),
    zod: "node_modules/zod",
    "@types/node": "node_modules/@types/node",
    "undici-types": "node_modules/undici-types",
  };
  for (const [name, target] of Object.entries(links)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(REPOSITORY, target), join(modules, name));
  }
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  return folder;
}

/** Packs a built package and lays it into `modules`, as an installation does. */
function unpack(name: string, modules: string): void {
  const pack = ["pack", "--ignore-scripts", "--silent", "--pack-destination", modules];
  const from = join(REPOSITORY, "packages", name);
  const stdout = execFileSync("npm", pack, { cwd: from, stdio: ["ignore", "pipe", "ignore"] });
  const tarball = join(modules, stdout.toString().trim().split("\n").at(-1) ?? "");
  execFileSync("tar", ["xzf", tarball, "-C", modules]);
  const installed = join(modules, name === "hawser" ? name : `@hawser/${name}`);
  mkdirSync(dirname(installed), { recursive: true });
  renameSync(join(modules, "package"), installed);
}
