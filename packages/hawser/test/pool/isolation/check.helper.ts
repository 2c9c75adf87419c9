import type { RecordedRequest } from "../../../src/testing/index.js";
import { callsIn } from "./model.helper.js";
import type { Planned } from "./plan.helper.js";
import { wordsIn } from "./random.helper.js";
import type { Told } from "./run.helper.js";

/** A description of each leak; empty if no call saw anything of another call. */
export function findings(
  calls: readonly Planned[],
  requests: readonly RecordedRequest[],
  told: readonly Told[],
): readonly string[] {
  const found: string[] = [];
  const sessions = new Map<string, Planned>();
  const belongs = (id: string, call: Planned, where: string) => {
    const other = sessions.get(id) ?? call;
    if (other !== call) found.push(`session of ${nameOf(other)} in ${where} of ${nameOf(call)}`);
    sessions.set(id, call);
  };
  for (const request of requests) {
    if (request.kind !== "call") continue;
    const [call, ...others] = callsIn(request, calls);
    if (call === undefined) {
      found.push(`request ${request.number} belongs to no call`);
      continue;
    }
    for (const other of others) found.push(`${nameOf(call)} was sent with ${nameOf(other)}`);
    found.push(...strangersIn([request.headers, request.body], call, "request"));
    found.push(...lacks(request, call), ...refusals(request, call));
    for (const id of sessionsOf(request)) belongs(id, call, "a request");
  }
  for (const { call, all, sessionId } of told) {
    found.push(...strangersIn([all, call.asked], call, "what was told to"));
    if (sessionId !== undefined) belongs(sessionId, call, "the outcome");
  }
  return found;
}

function nameOf({ number, kind, fate }: Planned): string {
  return `call ${number} (${kind}, ${fate})`;
}

function strangersIn(value: unknown, call: Planned, where: string): string[] {
  const strangers = [...wordsIn(value)].filter((word) => !call.own.has(word));
  return strangers.map((word) => `${word} in ${where} ${nameOf(call)}`);
}

function sessionsOf({ headers, body }: RecordedRequest): readonly string[] {
  const { metadata } = body as { readonly metadata?: { readonly user_id?: string } };
  const { session_id: inBody } = JSON.parse(metadata?.user_id ?? "{}");
  return [headers["x-claude-code-session-id"] ?? "none", inBody ?? "none"];
}

/** A request must contain the words of its own call, which shows that a foreign word would be found. */
function lacks(request: RecordedRequest, call: Planned): string[] {
  const { home, system, options, kind } = call;
  const model = kind === "session" ? "claude-sonnet-4-5" : options.model;
  const wrong = {
    environment: request.headers["x-canary"] !== home.word,
    "system prompt": !request.system.includes(system),
    model: model !== undefined && request.model !== model,
  };
  const names = Object.entries(wrong).flatMap(([name, isWrong]) => (isWrong ? name : []));
  return names.map((name) => `${nameOf(call)} has not its own ${name}`);
}

/** The tool results must be those of the call, and tools without permission must be refused. */
function refusals({ toolResults }: RecordedRequest, call: Planned): string[] {
  const { kind, home, grant, foreign } = call;
  const allowed: Record<string, string> = {
    [`touch_${grant}`]: "",
    printenv_HOME_WORD: home.word,
    pwd: home.folder,
    say: grant,
  };
  if (kind !== "shell" && kind !== "asked" && kind !== "program") return [];
  return toolResults.flatMap(({ toolUseId, text, isError }) => {
    const what = toolUseId.replace("toolu_", "");
    const isRight =
      what === `touch_${foreign}` ? isError : !isError && text.includes(allowed[what] ?? "\0");
    return isRight ? [] : `${nameOf(call)}: ${what} gave ${isError ? "an error" : text}`;
  });
}

/** Calls with another outcome than planned. */
export function surprises(told: readonly Told[]): readonly string[] {
  return told.flatMap(({ call, ok, code, text }) => {
    const expected = EXPECTED[call.fate] ?? [call.fate];
    const outcome = ok ? "ok" : (code ?? "");
    const isWhole = call.fate !== "answered" || text.includes(call.answer);
    return expected.includes(outcome) && isWhole ? [] : `${nameOf(call)}: ${outcome}, ${text}`;
  });
}

const EXPECTED: Readonly<Partial<Record<Planned["fate"], readonly string[]>>> = {
  answered: ["ok"],
  "400": ["api_error"],
  "500": ["api_error"],
  "429": ["rate_limited"],
  "529": ["overloaded"],
  refusal: ["refusal"],
  max_turns: ["ok", "max_turns"],
  "aborted at once": ["aborted", "ok"],
  "aborted while the model thinks": ["aborted"],
  "aborted in the answer": ["aborted"],
  timeout: ["timeout"],
};
