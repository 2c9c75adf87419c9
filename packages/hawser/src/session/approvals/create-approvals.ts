import { kind, throwIfInvalid } from "../../base/index.js";
import { Approvals } from "./approvals.js";
import type { ApprovalsOptions } from "./approvals-options.js";

/**
 * Collects the questions of sessions, so that any part of the program can list and answer them: tool calls
 * that need approval, questions and plans of the model, questions of MCP servers.
 *
 * @example
 * ```ts
 * const approvals = createApprovals({ ttlMs: 5 * 60_000 });
 * const { canUseTool, onElicitation } = approvals;
 * const session = await openSession({ canUseTool, onElicitation });
 *
 * for await (const change of approvals) {
 *   if (change.type === "asked") console.log(change.approval.id, change.approval.summary);
 * }
 *
 * // Elsewhere, for example in a request handler of a web server:
 * await approvals.answer(id, { behavior: "allow", scope: "session" }, { by: "ada@example.com" });
 * ```
 */
export function createApprovals(options: ApprovalsOptions = {}): Approvals {
  throwIfInvalid(OPTIONS.problems(options, "options"));
  return new Approvals(options);
}

const OPTIONS = kind.shape(
  {
    ttlMs: kind.number("milliseconds", "a number of milliseconds greater than 0", (n) => n > 0),
    onExpire: kind.either(
      "onExpire",
      '"deny" or a function',
      [kind.isString, kind.oneOf("deny")],
      [(value) => typeof value === "function", kind.callback],
    ),
    onRecord: kind.callback,
    recordLimit: kind.size,
    readerLimit: kind.count,
  },
  [],
  "refuse",
);
