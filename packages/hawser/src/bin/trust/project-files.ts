import { readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/**
 * The files of a folder, and of the folders above it, that take effect only in a trusted project: what can run
 * programs or grant rights, and instructions that the CLI reads only in a trusted project. Given as
 * paths relative to the folder. The home directory ends the search because the settings there are the
 * user's own.
 */
export function projectFiles(folder: string, home: string | undefined): string[] {
  const found: string[] = [];
  for (let at = folder; at !== home; at = dirname(at)) {
    const names = [
      ...entriesOf(join(at, ".claude"))
        .filter((name) => !INSTRUCTIONS.has(name))
        .map((name) => join(".claude", name)),
      ...entriesOf(at).filter((name) => name === ".mcp.json" || isFarInstruction(name, at, folder)),
    ];
    found.push(...names.map((name) => relative(folder, join(at, name))));
    if (dirname(at) === at) break;
  }
  return found;
}

/** The CLI reads these in the folder itself without trust. */
const INSTRUCTIONS: ReadonlySet<string> = new Set(["CLAUDE.md", "rules"]);

function isFarInstruction(name: string, at: string, folder: string): boolean {
  return name === "CLAUDE.md" && at !== folder;
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    // A folder that is missing or cannot be read brings nothing that the CLI could read.
    return [];
  }
}
