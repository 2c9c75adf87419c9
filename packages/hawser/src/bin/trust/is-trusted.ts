import { realpath } from "node:fs/promises";
import { oneLine, textOf } from "../../base/index.js";
import { homeFolder } from "../../process/index.js";
import type { Terminal } from "../terminal/terminal.js";
import { isNo, isYes } from "../terminal/yes-no.js";
import { projectFiles } from "./project-files.js";
import { TrustedFolders, trustFile } from "./trusted-folders.js";

export interface TrustQuestion {
  readonly cwd: string;
  readonly terminal: Terminal;
  /** Asks the user for a line; absent where there is no user to ask. */
  readonly ask: ((question: string) => Promise<string | undefined>) | undefined;
}

/**
 * Whether the user trusts the project in a folder: by an earlier answer, or by the answer to a question.
 * Undefined if the user left the question. A folder without such files needs no trust.
 */
export async function isTrusted({
  cwd,
  terminal,
  ask,
}: TrustQuestion): Promise<boolean | undefined> {
  const folder = await realpath(cwd).catch(() => cwd); // If the folder is missing, the call reports it.
  const home = homeFolder();
  const files = projectFiles(folder, home && (await realpath(home).catch(() => home)));
  if (files.length === 0) return false;
  const path = trustFile(process.env, home);
  const folders = path === undefined ? undefined : new TrustedFolders(path);
  const known = await folders?.answerFor(folder).catch((error: unknown) => {
    terminal.warn(`${path} cannot be read, so no folder is trusted: ${textOf(error)}`);
    return false;
  });
  if (known !== undefined || ask === undefined) {
    if (known !== true) terminal.warn(NOT_IN_EFFECT);
    return known ?? false;
  }
  const answer = await askTrust(folder, files, terminal, ask);
  if (answer === undefined) return undefined;
  await folders?.remember(folder, answer).catch((error: unknown) => {
    terminal.warn(`Your answer was not saved in ${path}: ${textOf(error)}`);
  });
  return answer;
}

const NOT_IN_EFFECT =
  "This folder is not trusted, so its settings, MCP servers, skills and agents are not used. Use them with --trust.";

async function askTrust(
  folder: string,
  files: readonly string[],
  terminal: Terminal,
  ask: (question: string) => Promise<string | undefined>,
): Promise<boolean | undefined> {
  const { style, width } = terminal;
  terminal.note(`${style.yellow("?")} ${style.bold("Do you trust the files in this folder?")}`);
  terminal.note(`    ${oneLine(folder, width - 4)}`);
  terminal.note("    It has files that can run programs and allow tools without asking you:");
  // Many harmless names must not hide the settings.
  const shown = files.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, SHOWN);
  for (const file of shown) terminal.note(`      ${oneLine(file, width - 6)}`);
  if (files.length > SHOWN) terminal.note(`      and ${files.length - SHOWN} more`);
  for (;;) {
    const said = await ask("  [y]es, use them · [n]o, read only CLAUDE.md\n  > ");
    if (said === undefined) return undefined;
    if (isYes(said)) return true;
    if (isNo(said)) return false;
  }
}

const SHOWN = 10;

function rankOf(file: string): number {
  return /(?:^|[/\\])(?:settings(?:\.local)?|\.mcp)\.json$/.test(file) ? 0 : 1;
}
