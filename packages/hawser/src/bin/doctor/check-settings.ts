import { accessSync, constants, readFileSync } from "node:fs";
import { isObject } from "../../base/index.js";
import { settingsFiles, stateFileOf } from "./cli-files.js";
import { type Check, type Finding, ok, problem } from "./finding.js";

/** Checks that the CLI's settings files are valid JSON. */
export const checkSettings: Check = (context) => {
  const read = settingsFiles(context).map((path) => ({ path, state: stateOf(path) }));
  const good = read.filter(({ state }) => state === "good").length;
  const broken = read.flatMap(({ path, state }) => {
    return typeof state === "object" ? [dropped(path, state.why)] : [];
  });
  const state = stateFileOf(context);
  const files = good === 1 ? "1 file" : `${good} files`;
  return [
    ...(state === undefined ? [] : globalFinding(state)),
    ...broken,
    ...(broken.length === 0 && good > 0 ? [ok("settings", `${files}, valid JSON`)] : []),
  ];
};

const NO_OBJECT = "is not a JSON object";

type State = "missing" | "good" | { readonly why: string };

function stateOf(path: string): State {
  let text: string;
  try {
    text = readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isMissing = code === "ENOENT" || code === "ENOTDIR";
    return isMissing ? "missing" : { why: `cannot be read (${code})` };
  }
  if (text.trim() === "") return "good";
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? "good" : { why: NO_OBJECT };
  } catch (error) {
    return { why: `is not valid JSON${placeIn(text, error as Error)}` };
  }
}

/** Only the position, because the message of JSON.parse() would quote the file, which may hold secrets. */
function placeIn(text: string, { message }: Error): string {
  const at = /position (\d+)/.exec(message)?.[1];
  if (at === undefined) return "";
  const before = text.slice(0, Number(at)).split("\n");
  return ` (line ${before.length}, column ${(before.at(-1) ?? "").length + 1})`;
}

function dropped(path: string, why: string): Finding {
  const message = `${path} ${why}: the CLI silently ignores all of it, including deny rules.`;
  return problem(
    "settings",
    "invalid_options",
    message,
    why.startsWith("cannot be read") ? "Let this user read the file." : "Fix the JSON.",
  );
}

/**
 * Checks only the permissions. hawser does not open the file, because it may hold a stored key. With
 * `--live`, the CLI reports a broken file itself.
 */
function globalFinding(path: string): Finding[] {
  try {
    accessSync(path, constants.R_OK);
    return [];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    const message = `${path} cannot be read (${code}), so the CLI does not start.`;
    const remedy = "Let this user read and write the file.";
    return [problem("state-file", "process_exited", message, remedy)];
  }
}
