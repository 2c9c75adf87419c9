import type { Options } from "./options.js";

/** A bare completion: no tools, no settings files, no servers, no session on disk, no prompt. */
export const LEAN: Options = {
  tools: [],
  settingSources: [],
  strictMcpConfig: true,
  persistSession: false,
  systemPrompt: "",
  literalPrompt: true,
};

/** The CLI as it is: its tools, prompt, sessions and settings. Only the prompt stays literal. */
export const AGENT: Options = { literalPrompt: true };
