import { randomUUID } from "node:crypto";
import { HawserError } from "../errors/index.js";
import {
  given,
  type Options,
  validateOptions,
  validatePrompt,
  withPreset,
} from "../options/index.js";
import { SubprocessTransport } from "../transport/index.js";
import { controlRequest, encodeLine, type Prompt, userLine } from "../wire/index.js";
import type { Completion } from "./completion.js";
import { converse } from "./converse.js";
import { DEFAULT_TIMEOUTS, Limits } from "./limits.js";
import { Turn } from "./turn.js";

export type CompleteOptions = Options;

/**
 * One prompt, one answer. Lean and isolated unless options say otherwise: no tools, no settings
 * files, no session on disk. Resolves only if the CLI answered, and when its process is gone; every
 * failure is a `HawserError` whose code says what happened.
 */
export async function complete(prompt: Prompt, options: CompleteOptions = {}): Promise<Completion> {
  validatePrompt(prompt);
  // Before anything is started: a prompt that cannot be written would never arrive.
  if (typeof prompt !== "string") encodeLine(userLine(prompt));
  validateOptions(options);
  refuseLater(options);
  const resolved = withPreset({ preset: "lean", ...given(options) });

  const turn = new Turn(resolved);
  const timeouts = { ...DEFAULT_TIMEOUTS, ...given(resolved.timeouts ?? {}) };
  const limits = new Limits(timeouts, signals(resolved));
  const transport = new SubprocessTransport(resolved);
  try {
    await limits.race(Promise.resolve());
    const completion = await limits.race(converse(transport, prompt, turn, limits));
    await transport.close();
    return completion;
  } catch (error) {
    // The turn may still run: interrupted first, it ends its tools and stays resumable.
    await transport.close({ first: controlRequest(randomUUID(), { subtype: "interrupt" }) });
    throw turn.failure(error, transport.facts, transport.mask);
  } finally {
    limits.end();
  }
}

function signals({ signal, abortController }: Options): AbortSignal[] {
  return [signal, abortController?.signal].filter((each) => each !== undefined);
}

/** Options whose work is done by layers that do not exist yet: refused, never ignored. */
const LATER: readonly (keyof Options)[] = [
  "autoResume",
  "canUseTool",
  "hooks",
  "loadTimeoutMs",
  "onElicitation",
  "onUserDialog",
  "outputFormat",
  "pool",
  "priority",
  "recover",
  "requireMcp",
  "retry",
  "rules",
  "schema",
  "sessionStore",
  "sessionStoreFlush",
  "spawnClaudeCodeProcess",
  "tenant",
  "verbatimPrompts",
];

function refuseLater(options: CompleteOptions): void {
  const used: string[] = LATER.filter((name) => options[name] !== undefined);
  for (const [name, server] of Object.entries(options.mcpServers ?? {})) {
    if (typeof server === "object" && server.type === "sdk") used.push(`mcpServers.${name}`);
  }
  if (used.length === 0) return;
  throw new HawserError("not_supported", `complete() does not support ${used.join(", ")} yet.`, {
    hint: "Leave these options out.",
    issues: used.map((path) => ({ path, message: "not supported yet" })),
  });
}
