import type { PolicyRule } from "../../options/index.js";
import type { JsonObject } from "../../wire/index.js";
import { explainPermission, type PermissionExplanation } from "./explain-permission.js";
import type { PermissionContext } from "./permission-context.js";

/** The facts that the CLI reports of a tool call, in the input of a hook or in a permission request. */
export interface AskedCall {
  readonly tool_name: string;
  readonly tool_use_id?: string | undefined;
  /** Where the CLI is when it makes the call. */
  readonly cwd?: string | undefined;
  /** The server of an MCP tool; older CLIs do not report it. */
  readonly mcp_server?: { readonly name?: unknown } | undefined;
}

/** The policy of one session: decides every input that a call is to run with, also a changed one. */
export class PolicyJudge {
  readonly #rules: readonly PolicyRule[];
  readonly #otherwise: PolicyRule["decision"];
  readonly #context: () => PermissionContext;
  /**
   * Where the CLI is, by the id of the call. A question does not say it, but the hook before it did.
   * Calls of several agents overlap, and each agent can be in a folder of its own.
   */
  readonly #folders = new Map<string, string>();

  constructor(
    rules: readonly PolicyRule[],
    otherwise: PolicyRule["decision"],
    context: () => PermissionContext,
  ) {
    this.#rules = rules;
    this.#otherwise = otherwise;
    this.#context = context;
  }

  explain(call: AskedCall, input: JsonObject): PermissionExplanation {
    const context = this.#context();
    const { name } = call.mcp_server ?? {};
    return explainPermission(this.#rules, call.tool_name, input, this.#otherwise, {
      ...context,
      callCwd: this.#folderOf(call) ?? context.cwd,
      ...(typeof name === "string" ? { mcpServers: [name] } : {}),
    });
  }

  #folderOf({ tool_use_id, cwd }: AskedCall): string | undefined {
    if (typeof tool_use_id !== "string") return cwd;
    if (typeof cwd !== "string") return this.#folders.get(tool_use_id);
    this.#folders.delete(tool_use_id);
    this.#folders.set(tool_use_id, cwd);
    const [oldest] = this.#folders.keys();
    if (this.#folders.size > MOST_FOLDERS && oldest !== undefined) this.#folders.delete(oldest);
    return cwd;
  }
}

/** More calls than a CLI has open at the same time. */
const MOST_FOLDERS = 1000;
