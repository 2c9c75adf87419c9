import { given } from "./given.js";
import type { Options } from "./options.js";

/** The options over those that their preset stands for, if they name one. */
export function withPreset(options: Options): Options {
  if (options.preset === undefined) return options;
  const { systemPrompt, ...preset } = PRESETS[options.preset];
  // A prompt would take the place of the agent's own.
  const prompt = options.agent === undefined && systemPrompt !== undefined ? { systemPrompt } : {};
  return { ...preset, ...prompt, ...given(options) };
}

/** A bare completion: no tools, no settings files, no servers, no session on disk, no prompt. */
export const LEAN: Options = {
  tools: [],
  settingSources: [],
  strictMcpConfig: true,
  persistSession: false,
  systemPrompt: "",
  literalPrompt: true,
};

/** The CLI's own agent: its tools, prompt and sessions, and the project's settings. */
export const AGENT: Options = { settingSources: ["project"], literalPrompt: true };

const PRESETS = { lean: LEAN, agent: AGENT };
