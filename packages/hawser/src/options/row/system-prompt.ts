import { addFile, addFlag, type Draft, isSince, mayUse } from "../draft.js";
import {
  type PresetPrompt,
  SYSTEM_PROMPT_DYNAMIC_BOUNDARY,
  type SystemPromptOption,
} from "../shape/system-prompt.js";

/** By the initialize request, which has no limit of length and is seen by nobody. */
export function applySystemPrompt(draft: Draft, prompt: SystemPromptOption): void {
  if (typeof prompt === "string") setPrompt(draft, [prompt]);
  else if (isParts(prompt)) setPrompt(draft, prompt);
  else {
    if (prompt.type === "custom") setPrompt(draft, [prompt.prompt].flat());
    else applyPreset(draft, prompt);
    applySnapshot(draft, prompt.snapshot);
  }
}

/** What is not to be kept, an older CLI does not keep. */
function applySnapshot(draft: Draft, snapshot: boolean | undefined): void {
  if (snapshot === false && !isSince(draft.cli, SINCE_SNAPSHOT)) return;
  if (snapshot !== undefined && mayUse(draft, "systemPrompt.snapshot", SINCE_SNAPSHOT)) {
    draft.initialize.systemPromptSnapshot = snapshot;
  }
}

/** The CLI's own prompt is what it takes when none is sent. */
function applyPreset(draft: Draft, { append, excludeDynamicSections }: PresetPrompt): void {
  if (append !== undefined) setAppendix(draft, append);
  if (excludeDynamicSections !== true) return;
  if (mayUse(draft, "systemPrompt.excludeDynamicSections", SINCE_EXCLUDE)) {
    draft.initialize.excludeDynamicSections = true;
  }
}

/** An older CLI passes over a list in silence, and runs with its own prompt. */
function setPrompt(draft: Draft, parts: readonly string[]): void {
  if (isSince(draft.cli, SINCE_LIST)) {
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
  if (isSince(draft.cli, SINCE_LIST)) {
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
