// The running turn, the prompts that wait for it, and its interruption.

const fresh = (message) => ({
  message,
  stop: new AbortController(),
  /** The text of the last assistant message. */
  said: "",
  userLines: 0,
  /** @type {{ tool_name: string, tool_use_id: string, tool_input: unknown }[]} */
  denials: [],
  submitted: false,
  /** Whether the turn is between its init line and its result. */
  begun: false,
  over: false,
});

/** The current turn. There is only one at a time. */
export let turn = fresh({});

const waiting = [];
const outstanding = new Set();
let chain = Promise.resolve();

/** Thrown to end a turn, and its step, with this result. */
export class TurnEnd {
  constructor(fields, line) {
    this.fields = fields;
    this.line = line;
  }
}

/** Enqueues a prompt, or a turn that the CLI starts by itself. They run one after the other. */
export function enqueue(message, work) {
  waiting.push(message);
  chain = chain.then(() => {
    const place = waiting.indexOf(message);
    if (place === -1) return undefined;
    waiting.splice(place, 1);
    turn = fresh(message);
    return work();
  });
}

/** Work that will enqueue a turn later. The process does not exit before that. */
export function expectLater(promise) {
  outstanding.add(promise);
  promise.finally(() => outstanding.delete(promise));
}

export async function allDone() {
  for (let last; last !== chain || outstanding.size > 0; ) {
    last = chain;
    await chain;
    await Promise.all(outstanding);
  }
}

/** Ends the running turn at the next possible point. Returns the ids of the prompts that were waiting. */
export function interrupt(cancelQueued) {
  const ids = waiting.flatMap(({ uuid }) => uuid ?? []);
  if (cancelQueued) waiting.length = 0;
  if (!turn.over) turn.stop.abort();
  return cancelQueued ? { still_queued: [], cancelled: ids } : { still_queued: ids };
}

/** Throws if the turn was interrupted. */
export function goOn() {
  if (turn.stop.signal.aborted && !turn.over) throw interrupted();
}

export function interrupted() {
  return new TurnEnd(abortedFields("aborted_streaming", null), "[Request interrupted by user]");
}

export function interruptedInTool() {
  return new TurnEnd(
    abortedFields("aborted_tools", "tool_use"),
    "[Request interrupted by user for tool use]",
  );
}

/** Ends the turn because the model has reached the limit of rounds. */
export function outOfTurns(limit) {
  return new TurnEnd({
    ...NO_ANSWER,
    subtype: "error_max_turns",
    stop_reason: "tool_use",
    terminal_reason: "max_turns",
    errors: [`Reached maximum number of turns (${limit})`],
  });
}

function abortedFields(terminal_reason, stop_reason) {
  const diagnostic = `result_type=user last_content_type=n/a stop_reason=${stop_reason}`;
  return {
    ...NO_ANSWER,
    subtype: "error_during_execution",
    stop_reason,
    terminal_reason,
    errors: [`[ede_diagnostic] ${diagnostic}`],
  };
}

const NO_ANSWER = { is_error: true, api_error_status: undefined, result: undefined };

/**
 * Waits. An interrupt ends the wait.
 * @returns {Promise<void>}
 */
export function pause(ms) {
  const { signal } = turn.stop;
  return new Promise((resolve, reject) => {
    const stopped = () => {
      clearTimeout(timer);
      reject(interrupted());
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stopped);
      resolve();
    }, ms);
    if (signal.aborted) stopped();
    else signal.addEventListener("abort", stopped, { once: true });
  });
}
