import { addFlag, addPair, type Draft } from "../draft.js";
import type { Flag } from "../spec.js";
import { plain } from "./plain.js";

/** The fixed part, as the CLI's own SDK sends it. */
export const FIXED: readonly string[] = [
  "--output-format",
  "stream-json",
  "--verbose",
  "--input-format",
  "stream-json",
];

/** Other names of what is fixed or has an option here. */
export const RESERVED: readonly Flag[] = [
  "--output-format",
  "--verbose",
  "--input-format",
  "--print",
  "--p",
  "--agents",
  "--allowed-tools",
  "--disallowed-tools",
  "--append-system-prompt",
  "--append-system-prompt-file",
  "--dangerously-skip-permissions",
  "--json-schema",
  "--system-prompt",
  "--system-prompt-file",
  "--system-prompt-snapshot",
  "--exclude-dynamic-system-prompt-sections",
  "--forward-subagent-text",
  "--help",
  "--version",
];

export function applyExtraArgs(draft: Draft): void {
  for (const [name, value] of Object.entries(draft.options.extraArgs ?? {})) {
    if (value === null) addFlag(draft, "extraArgs", `--${name}`);
    else if (value !== undefined) addPair(draft, "extraArgs", `--${name}`, value);
  }
}

/** Asks of the CLI fewer retries than its own ten, which make a wrong key take minutes to say so. */
export function applyRetries(draft: Draft): void {
  const { retry, fallbackModel } = draft.options;
  if (retry?.apiTimeoutMs !== undefined) draft.env.set("API_TIMEOUT_MS", `${retry.apiTimeoutMs}`);
  const name = "CLAUDE_CODE_MAX_RETRIES";
  if (retry?.cliRetries !== undefined) draft.env.set(name, `${retry.cliRetries}`);
  else if (draft.env.get(name) === undefined) {
    draft.env.set(name, fallbackModel === undefined ? "1" : RETRIES_BEFORE_FALLBACK);
  }
}

/** The CLI turns to the fallback model after its second retry, and with fewer not at all. */
const RETRIES_BEFORE_FALLBACK = "2";

/**
 * A second belt: what makes a prompt literal is its shape. It also hides skills and commands from
 * the model, so one that has the tool for these does without.
 */
export function applyLiteralPrompt({ env, options }: Draft): void {
  const { tools } = options;
  const hasSkills = !Array.isArray(tools) || tools.includes("Skill");
  if (!hasSkills) env.set("CLAUDE_CODE_DISABLE_ATTACHMENTS", "1");
}

export function applySchema({ initialize }: Draft, schema: object): void {
  initialize.jsonSchema = plain({ ...schema });
}

export function applyToolConfig(
  { env }: Draft,
  config: { readonly askUserQuestion?: { readonly previewFormat?: string } },
): void {
  const format = config.askUserQuestion?.previewFormat;
  if (format !== undefined) env.set("CLAUDE_CODE_QUESTION_PREVIEW_FORMAT", format);
}
