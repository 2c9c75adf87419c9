import type { HarnessV1PermissionMode } from "@ai-sdk/harness";
import type { PolicyRule } from "hawser";
import { nativeNames } from "./builtin-tools.js";

/**
 * Which tools of the CLI run without a question. Every other call is asked about, also one that the CLI itself or a
 * settings file would allow. A settings file can still deny a call.
 */
export class PermissionPolicy {
  readonly #allowed: ReadonlySet<string> | "all";

  constructor(mode: HarnessV1PermissionMode = "allow-all") {
    if (mode === "allow-all") this.#allowed = "all";
    else {
      const kinds =
        mode === "allow-edits" ? (["readonly", "edit"] as const) : (["readonly"] as const);
      this.#allowed = new Set([...nativeNames(kinds), ...ALWAYS]);
    }
  }

  allows(tool: string): boolean {
    if (tool === ASKS_USER) return false;
    return this.#allowed === "all" || this.#allowed.has(tool);
  }

  /** The rules for a session. `serverName` is the server of the host's tools, which the host approves itself. */
  rules(serverName: string): readonly PolicyRule[] {
    const allowed = this.#allowed === "all" ? ["*"] : [...this.#allowed];
    return [
      { tool: ASKS_USER, decision: "ask" },
      { tool: `mcp__${serverName}__*`, decision: "allow" },
      ...allowed
        .filter((tool) => tool !== ASKS_USER)
        .map((tool): PolicyRule => ({ tool, decision: "allow" })),
      ...(this.#allowed === "all" ? [] : [{ tool: "*", decision: "ask" } as const]),
    ];
  }
}

/** The tool with which the model asks the user. The host answers it. */
export const ASKS_USER = "AskUserQuestion";

/** Tools without which the CLI cannot work, and that have no effect of their own. */
const ALWAYS = ["StructuredOutput", "BashOutput", "TaskOutput"];
