import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { inject } from "vitest";
import { nativeCli } from "../../../../tools/native-cli.js";

/** The version that is pinned as the newest. */
export const NEWEST_CLI = nativeCli("@anthropic-ai/claude-code");

/** The version beside it, for what differs. */
export const OLDER_CLI = nativeCli("claude-code-2.1.197");

export const CLIS: readonly { readonly name: string; readonly path: string }[] = [
  { name: "2.1.325", path: NEWEST_CLI },
  { name: "2.1.197", path: OLDER_CLI },
];

/** Whether to try everything on every CLI, and not only what depends on its version. */
export const EVERY_CLI: boolean = process.env["HAWSER_BOTH"] === "1";

/** One CLI for a block of one test of our own code; both with `HAWSER_BOTH=1`. */
export const THE_NEWEST: typeof CLIS = EVERY_CLI ? CLIS : CLIS.slice(0, 1);
export const THE_OLDER: typeof CLIS = EVERY_CLI ? CLIS : CLIS.slice(1);

/** The file of an earlier version that `test/clis` brings: `cli.js`, or native from 2.1.113 on. */
export function earlierCli(version: "2.0.77" | "2.1.50" | "2.1.120"): string {
  const clis = inject("clis");
  if ("missing" in clis) throw new Error(clis.missing);
  const fromClis = createRequire(join(clis.folder, "package.json"));
  const folder = folderOf(fromClis, `claude-code-${version}`);
  const files = ["cli.js", "claude"].map((name) => join(folder ?? "", name));
  const file = files.find((path) => folder !== undefined && existsSync(path));
  if (file === undefined) throw new Error(`test/clis brings no CLI ${version} for this platform`);
  return file;
}

function folderOf(require: NodeJS.Require, name: string): string | undefined {
  try {
    return dirname(require.resolve(`${name}/package.json`));
  } catch {
    return undefined; // Not installed on this platform.
  }
}
