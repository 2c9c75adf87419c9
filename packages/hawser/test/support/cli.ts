import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { expect, inject } from "vitest";
import { nativeCli } from "../../../../tools/native-cli.js";

/** The version that is pinned as the newest. */
export const NEWEST_CLI = nativeCli("@anthropic-ai/claude-code");

/** The version beside it, for what differs. */
export const OLDER_CLI = nativeCli("claude-code-2.1.197");

export const CLIS: readonly { readonly name: string; readonly path: string }[] = [
  { name: pinnedVersion(), path: NEWEST_CLI },
  { name: "2.1.197", path: OLDER_CLI },
];

/** Whether this is `npm run test:full`, which runs every test on every pinned CLI. */
export const FULL: boolean = process.env["HAWSER_FULL"] === "1";

/**
 * The CLIs for one block of tests: `describe.each(clisInTurn())`. A full run takes every pinned CLI.
 * Any other run takes one of them, the next in turn, so that both CLIs are at work in every file. Which
 * one comes first depends on the name of the file, so that a block of one file has the same CLI each time.
 */
export function clisInTurn(): typeof CLIS {
  if (FULL) return CLIS;
  const file = expect.getState().testPath ?? "";
  const turn = (turns.get(file) ?? firstTurn(file)) % CLIS.length;
  turns.set(file, turn + 1);
  return CLIS.slice(turn, turn + 1);
}

const turns = new Map<string, number>();

function firstTurn(file: string): number {
  return createHash("sha256").update(basename(file)).digest().readUInt8();
}

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

function pinnedVersion(): string {
  const manifest = createRequire(import.meta.url)("@anthropic-ai/claude-code/package.json");
  return (manifest as { readonly version: string }).version;
}
