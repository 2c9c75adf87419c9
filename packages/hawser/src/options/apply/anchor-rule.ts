import { posix, win32 } from "node:path";
import type { Draft } from "../invocation/draft.js";
import { toolRow } from "../tools/builtin-tools.js";

/**
 * Rewrites a permission rule so that it can be moved to another settings file. The path in
 * `Tool(/path)` is relative to the place of the rule: the working directory for the command line,
 * the project's folder for its settings, the folder of the file for other settings. Without the
 * rewriting, a moved deny rule would deny nothing.
 */
export function anchorRule(text: string, root: string | undefined): string {
  const [, start = "", rest = ""] = /^([A-Za-z]+\()\/(?!\/)(.*)$/s.exec(text) ?? [];
  if (start === "" || toolRow(start.slice(0, -1)).paths === undefined) return text;
  // Without a root, the path is relative to the working directory.
  if (root === undefined) return `${start}./${rest}`;
  const folder = root.replaceAll("\\", "/").replace(/\/+$/, "");
  return `${start}/${folder.startsWith("/") ? "" : "/"}${folder}/${rest}`;
}

/** The working directory of the CLI; undefined if that of this program is unknown. */
export function workingDirectory({ host, options }: Draft): string | undefined {
  const { resolve, isAbsolute } = host.platform === "win32" ? win32 : posix;
  const { cwd = "." } = options;
  if (isAbsolute(cwd)) return cwd;
  return host.cwd === undefined ? undefined : resolve(host.cwd, cwd);
}
