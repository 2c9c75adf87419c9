import type { HistoryMessage, Prompt, Usage } from "hawser";
import {
  type AnswerEvent,
  appendSystemPrompt,
  type ModelRequest,
  type StopReason,
} from "hawser/answer";
import { refuseForAgent, withoutThinking } from "../agents/answer-agent.js";
import { RequestError } from "../errors/request-error.js";
import type { FleetAgent } from "./fleet-agent.js";
import type { FleetOutcome, FleetRun, FleetRunRequest, GatewayFleet } from "./gateway-fleet.js";
import type { RunReader } from "./run-reader.js";

/** A run that is not submitted yet. */
export interface PlannedRun {
  readonly prompt: Prompt;
  readonly options: FleetRunRequest;
}

/**
 * The run for a request to an agent: its prompt is the last message, and the messages before it are its history.
 * Throws what can be said before the run exists.
 */
export function planRun(request: ModelRequest, agent: FleetAgent, tenant: string): PlannedRun {
  refuseForAgent(request);
  const messages = withoutThinking(request.messages);
  const last = messages.at(-1);
  if (last?.role !== "user") {
    throw new RequestError("invalid_request", "messages: the last message must be the user's.", {
      param: "messages",
    });
  }
  const { system, effort, thinking } = request;
  const { options, profile, queue } = agent;
  const history = messages.slice(0, -1);
  return {
    prompt: promptOf(last),
    options: {
      ...options,
      ...{ tenant, profile },
      ...(queue === undefined ? {} : { queue }),
      ...(history.length === 0 ? {} : { history }),
      ...(system === undefined
        ? {}
        : { systemPrompt: appendSystemPrompt(options.systemPrompt, system) }),
      ...(effort === undefined ? {} : { effort }),
      ...(thinking === undefined ? {} : { thinking }),
    },
  };
}

function promptOf({ content }: HistoryMessage): Prompt {
  return typeof content === "string" ? content : [...content];
}

export interface FleetAnswerFacts {
  readonly fleet: GatewayFleet;
  readonly reader: RunReader;
  readonly signal: AbortSignal;
  /** Called when a worker begins with the run. */
  readonly onBegun: () => void;
}

/** An answer of an agent on the fleet, while it is being made. */
export interface FleetAnswer {
  readonly events: AsyncGenerator<AnswerEvent, undefined>;
  /** What the run used. It rejects with the error of the run. */
  readonly completion: Promise<{ readonly usage: Usage; readonly costUsd: number | undefined }>;
}

/**
 * Submits the run when its events are read. A client that leaves cancels its run, as it stops the model of a call; a
 * run that shall go on without a client is submitted at `/hawser/v1/runs`.
 */
export function answerOnFleet(run: PlannedRun, facts: FleetAnswerFacts): FleetAnswer {
  const outcome = new PendingOutcome();
  return { events: eventsOf(run, facts, outcome), completion: outcome.promise };
}

async function* eventsOf(
  { prompt, options }: PlannedRun,
  { fleet, reader, signal, onBegun }: FleetAnswerFacts,
  outcome: PendingOutcome,
): AsyncGenerator<AnswerEvent, undefined> {
  let run: FleetRun | undefined;
  let isSettled = false;
  try {
    run = await fleet.submit(prompt, options);
    for await (const event of run.events({ signal })) {
      if (event.type === "started") onBegun();
      if (event.type === "ended") isSettled = true;
      yield* reader.read(event);
    }
    const result = await run.result({ signal });
    isSettled = true;
    outcome.resolve(result);
    const { usage, costUsd, stop } = result;
    const stopReason: StopReason =
      stop === "max_turns" || stop === "max_budget" ? "pause_turn" : "end_turn";
    yield {
      type: "end",
      end: { stopReason, stopSequence: undefined, usage, costUsd, completion: undefined },
    };
  } catch (error) {
    outcome.reject(error);
    throw error;
  } finally {
    // Also if the reader has left, which ends the generator without an error.
    outcome.reject(new RequestError("internal", "Nobody reads the answer any more."));
    // The answer is not wanted any more. A database that is gone cannot be told; then the run goes on.
    if (!isSettled) await run?.cancel("The client is gone.").catch(() => {});
  }
}

/** The outcome of a run that goes on. Only the first call of `resolve` or `reject` counts. */
class PendingOutcome {
  resolve: (outcome: FleetOutcome) => void = () => {};
  reject: (error: unknown) => void = () => {};
  readonly promise: Promise<FleetOutcome> = new Promise((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });
}
