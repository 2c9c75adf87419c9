import { addFile, addFlag, type Draft } from "../invocation/draft.js";
import { isSinceOrUnknown, mayUse } from "../invocation/version-gate.js";
import {
  type PresetPrompt,
  SYSTEM_PROMPT_DYNAMIC_BOUNDARY,
  type SystemPromptOption,
} from "../types/system-prompt.js";
import { jsonCopy } from "./json-copy.js";

/**
 * Sends the prompt in the initialize request, which has no length limit and is in no process list.
 */
export function applySystemPrompt(draft: Draft, prompt: SystemPromptOption): void {
  if (typeof prompt === "string") setPrompt(draft, [prompt]);
  else if (isParts(prompt)) setPrompt(draft, prompt);
  else {
    if (prompt.type === "custom") setPrompt(draft, [prompt.prompt].flat());
    else applyPreset(draft, prompt);
    applySnapshot(draft, prompt.snapshot);
  }
}

/** An older CLI never keeps a prompt, so `false` needs nothing there. */
function applySnapshot(draft: Draft, snapshot: boolean | undefined): void {
  if (snapshot === false && !isSinceOrUnknown(draft.cli, SINCE_SNAPSHOT)) return;
  if (snapshot !== undefined && mayUse(draft, "systemPrompt.snapshot", SINCE_SNAPSHOT)) {
    draft.initialize.systemPromptSnapshot = snapshot;
  }
}

/** Sends no prompt, because the CLI then uses its own. */
function applyPreset(draft: Draft, { append, excludeDynamicSections }: PresetPrompt): void {
  if (append !== undefined) setAppendix(draft, append);
  if (excludeDynamicSections !== true) return;
  if (mayUse(draft, "systemPrompt.excludeDynamicSections", SINCE_EXCLUDE)) {
    draft.initialize.excludeDynamicSections = true;
  }
}

/** An older CLI silently ignores a list and uses its own prompt, so it gets a flag instead. */
function setPrompt(draft: Draft, parts: readonly string[]): void {
  if (isSinceOrUnknown(draft.cli, SINCE_LIST)) {
    draft.initialize.systemPrompt = [...parts];
    return;
  }
  const text = parts.filter((part) => part !== SYSTEM_PROMPT_DYNAMIC_BOUNDARY).join("\n\n");
  if (text === "") addFlag(draft, "systemPrompt", "--system-prompt", "");
  else {
    const path = addFile(draft, "system-prompt.txt", text);
    addFlag(draft, "systemPrompt", "--system-prompt-file", path);
  }
}

function setAppendix(draft: Draft, text: string): void {
  if (isSinceOrUnknown(draft.cli, SINCE_LIST)) {
    draft.initialize.appendSystemPrompt = text;
  } else if (mayUse(draft, "systemPrompt.append", SINCE_APPEND_FILE)) {
    const path = addFile(draft, "append-system-prompt.txt", text);
    addFlag(draft, "systemPrompt", "--append-system-prompt-file", path);
  }
}

const SINCE_LIST = "2.1.110";
const SINCE_APPEND_FILE = "2.0.33";
const SINCE_EXCLUDE = "2.1.97";
const SINCE_SNAPSHOT = "2.1.257";

function isParts(prompt: SystemPromptOption): prompt is readonly string[] {
  return Array.isArray(prompt);
}

/**
 * A second safeguard: the shape of the prompt makes it literal. The variable also hides skills and
 * commands from the model, so it is not set if the model has the tool `Skill`.
 */
export function applyLiteralPrompt({ env, options }: Draft): void {
  const { tools } = options;
  const hasSkills = !Array.isArray(tools) || tools.includes("Skill");
  if (!hasSkills) env.set("CLAUDE_CODE_DISABLE_ATTACHMENTS", "1");
}

export function applySchema({ initialize }: Draft, schema: object): void {
  initialize.jsonSchema = jsonCopy({ ...schema });
}
