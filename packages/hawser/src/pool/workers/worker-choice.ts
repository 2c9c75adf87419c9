import { isHawserError } from "../../base/index.js";
import type { LeaseRequest } from "../../session/index.js";
import type { Binding } from "../binding.js";
import type { ProcessOrigin } from "./worker-set.js";

/** A process that was ready answers at once, or is of no use. */
const SPARE_ANSWER_MS = 10_000;

/** How long a process may take until it can answer. */
export function limitsOf(
  { timeouts }: LeaseRequest,
  { late }: Binding,
  how: ProcessOrigin,
): LeaseRequest["timeouts"] {
  // A server of the caller's may take as long to connect as the caller permits.
  const isSlow = late.some(({ subtype }) => subtype === "mcp_set_servers");
  if (how === "cold" || isSlow) return timeouts;
  return { ...timeouts, bootMs: Math.min(timeouts.bootMs, SPARE_ANSWER_MS) };
}

/** Whether another process may do better: not if one for these very options has said that it won't. */
export function isAccident(error: unknown, how: ProcessOrigin): boolean {
  if (how !== "cold" || isHawserError(error, "closed")) return true;
  if (!isHawserError(error, "process_exited")) return false;
  // Who leaves in good order has refused nothing; who leaves by a signal, with 128 and its number, either.
  const { exitCode = 0 } = error;
  return exitCode === 0 || (exitCode > 128 && exitCode <= 128 + 64);
}
