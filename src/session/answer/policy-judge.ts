import type { PolicyRule } from "../../options/index.js";
import type { JsonObject } from "../../wire/index.js";
import type { PermissionContext } from "./permission-context.js";
import { explainPermission, type PermissionExplanation } from "./policy.js";

/** What the CLI tells of a call, in a hook's input or in a question. */
export interface AskedCall {
  readonly tool_name: string;
  /** Where the CLI is when it makes the call. */
  readonly cwd?: string | undefined;
  /** The server of an MCP tool; older CLIs do not tell. */
  readonly mcp_server?: { readonly name?: unknown } | undefined;
}

/** The policy of one session: decides every input that a call is to run with, also a changed one. */
export class PolicyJudge {
  readonly #rules: readonly PolicyRule[];
  readonly #otherwise: PolicyRule["decision"];
  readonly #context: () => PermissionContext;
  /** A question does not say where the CLI is; the hook before it did. */
  #lastCwd: string | undefined;

  constructor(
    rules: readonly PolicyRule[],
    otherwise: PolicyRule["decision"],
    context: () => PermissionContext,
  ) {
    this.#rules = rules;
    this.#otherwise = otherwise;
    this.#context = context;
  }

  explain({ tool_name, cwd, mcp_server }: AskedCall, input: JsonObject): PermissionExplanation {
    if (typeof cwd === "string") this.#lastCwd = cwd;
    const context = this.#context();
    const { name } = mcp_server ?? {};
    return explainPermission(this.#rules, tool_name, input, this.#otherwise, {
      ...context,
      callCwd: this.#lastCwd ?? context.cwd,
      ...(typeof name === "string" ? { mcpServers: [name] } : {}),
    });
  }
}
