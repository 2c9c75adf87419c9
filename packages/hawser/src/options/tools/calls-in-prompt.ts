import { lazy } from "../../base/index.js";
import type { JsonObject } from "../../wire/index.js";
import type { ToolCall } from "./builtin-tools.js";

/**
 * The tool calls that the CLI makes by itself when it gets a text as a prompt: a leading `/` runs a
 * skill, and `@path` reads a file. No hook sees these calls. Observed for the arguments of Skill on
 * 2.1.197 and 2.1.325, and for the prompt of CronCreate on 2.1.197.
 *
 * The model writes these texts, so all code here must take linear time.
 */
export function callsInPrompt(text: unknown): readonly ToolCall[] {
  if (typeof text !== "string") return [];
  const [, skill, args = ""] = /^\s*\/(\S+)\s*([\s\S]*)$/.exec(text) ?? [];
  // The call of the skill leads to the files that its arguments name.
  return skill === undefined ? filesIn(text) : [{ tool: "Skill", input: { skill, args } }];
}

/** A Read call for each file that a text names by `@path` or `@"path with spaces"`. */
export function filesIn(text: unknown): readonly ToolCall[] {
  if (typeof text !== "string") return [];
  const paths = [...text.matchAll(mention())].flatMap(([, quoted, plain = ""]) =>
    quoted === undefined ? [plain, withoutEnding(plain)] : [quoted],
  );
  const inputs = [...new Set(paths)].map((file_path): JsonObject => ({ file_path }));
  return inputs.map((input) => ({ tool: "Read", input }));
}

/**
 * A Read call for each file that a skill may read because of its arguments. The skill's file can
 * put an `@` before an argument (`@$ARGUMENTS`), so every word that looks like a path counts.
 */
export function filesInArguments(args: unknown): readonly ToolCall[] {
  if (typeof args !== "string") return [];
  const words = args.split(/\s+/).filter((word) => /[/\\]|^~|^[^@]*\w\.\w/.test(word));
  const paths = words.map((word) => word.replace(/^[@"']+/, ""));
  return filesIn([args, ...paths.map((path) => `@${path}`)].join(" "));
}

/** A letter before the `@` makes it part of a word, such as a mail address. */
const mention = lazy(() => /(?<![\p{L}\p{N}_])@(?:"([^"]+)"|([^\s"]+))/gu);

/** A range of lines (`#L1-2`) or the end of a sentence may follow the path. */
function withoutEnding(path: string): string {
  const range = path.lastIndexOf("#");
  let end = range < 0 ? path.length : range;
  // A regular expression that is anchored at the end would take quadratic time.
  while (end > 0 && PUNCTUATION.includes(path.charAt(end - 1))) end--;
  return path.slice(0, end);
}

const PUNCTUATION = ".,;:!?)]}'>";
