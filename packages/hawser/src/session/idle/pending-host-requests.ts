import { objectOf } from "../../base/index.js";
import type { RequestHandler } from "../../control/index.js";
import type { CliRequest } from "../../wire/index.js";

/** Listens to the number of requests of the CLI that wait for this side. The cores implement it. */
export interface HostRequestListener {
  onHostRequests(pending: number): void;
  /** The CLI asks about a tool call of its main thread, before the call. */
  onToolCall(toolUseId: string): void;
}

/**
 * Counts the requests of the CLI that this side works on. Meanwhile the CLI waits for this side and not
 * for the model, so its silence does not count against a time limit.
 */
export class PendingHostRequests {
  readonly #listener: HostRequestListener;
  #pending = 0;

  constructor(listener: HostRequestListener) {
    this.#listener = listener;
  }

  /** Counts one more until the returned function is called. */
  begin(): () => void {
    let isPending = true;
    this.#change(1);
    return () => {
      if (isPending) this.#change(-1);
      isPending = false;
    };
  }

  /** The handler, with each of its requests counted. */
  during(handler: RequestHandler): RequestHandler {
    return async (request, context) => {
      const toolUseId = callAskedAbout(request);
      if (toolUseId !== undefined) this.#listener.onToolCall(toolUseId);
      const done = this.begin();
      // A callback that runs on after the CLI has withdrawn its request holds nothing up.
      context.signal.addEventListener("abort", done, { once: true });
      try {
        return await handler(request, context);
      } finally {
        context.signal.removeEventListener("abort", done);
        done();
      }
    };
  }

  #change(by: number): void {
    this.#pending += by;
    this.#listener.onHostRequests(this.#pending);
  }
}

/** The tool call of the main thread that a hook or a callback is asked about. */
function callAskedAbout(request: CliRequest): string | undefined {
  const { subtype, tool_use_id, agent_id, input } = objectOf(request);
  if (subtype === "can_use_tool") return agent_id === undefined ? idIn(tool_use_id) : undefined;
  const hook = objectOf(input);
  const isCall = subtype === "hook_callback" && hook["hook_event_name"] === "PreToolUse";
  if (!isCall || hook["agent_id"] !== undefined) return undefined;
  return idIn(tool_use_id ?? hook["tool_use_id"]);
}

function idIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
