import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

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

/** The executable in the platform package that a wrapper package brings along. */
function nativeCli(wrapper: string): string {
  const manifest = createRequire(import.meta.url).resolve(`${wrapper}/package.json`);
  const fromWrapper = createRequire(manifest);
  const platform = `@anthropic-ai/claude-code-${process.platform}-${process.arch}`;
  const file = process.platform === "win32" ? "claude.exe" : "claude";
  for (const name of [platform, `${platform}-musl`]) {
    const folder = folderOf(fromWrapper, name);
    if (folder === undefined) continue;
    const path = join(folder, file);
    if (existsSync(path)) return path;
  }
  throw new Error(`No native CLI of ${wrapper} for ${process.platform}-${process.arch}`);
}

function folderOf(require: NodeJS.Require, name: string): string | undefined {
  try {
    return dirname(require.resolve(`${name}/package.json`));
  } catch {
    return undefined; // Not installed on this platform.
  }
}
