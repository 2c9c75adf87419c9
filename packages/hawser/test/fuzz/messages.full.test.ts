import { describe, expect, it } from "vitest";
import { isHawserError } from "../../src/base/index.js";
import { complete } from "../../src/complete/index.js";
import { openSession } from "../../src/session/index.js";
import { FULL } from "../support/cli.js";
import {
  AGAIN,
  type Case,
  type Conversation,
  inQuery,
  inSession,
  isForReader,
} from "./conversation.helper.js";
import {
  distinct,
  lineOf,
  type Mutation,
  mutationsAt,
  placesIn,
  REPLACEMENTS,
  replaced,
} from "./mutate.helper.js";
import { acknowledged, Peer } from "./peer.helper.js";
import { AROUND, type Json, PROMPT_ID, recorded } from "./samples.helper.js";

const VERSIONS = ["2.1.325", "2.1.197"] as const;

/** The mutated lines come before a valid line of their kind, so that the turn is complete. */
function caseOf(turn: readonly Json[], at: number, mutations: readonly Mutation[]): Case {
  const mutated = mutations.flatMap(({ message }, n) => [
    lineOf(message),
    JSON.stringify({ type: "fuzz_mark", n }),
  ]);
  const [before, after] = [turn.slice(0, at), turn.slice(at)].map((part) =>
    part.map((each) => JSON.stringify(each)),
  );
  const lines = [...(before ?? []), ...mutated, ...(after ?? [])];
  const marks = mutations.map((_, n) => ({ type: "fuzz_mark", n }));
  const good = [...turn.slice(0, at), ...marks, ...turn.slice(at)].filter(isForReader);
  return {
    name: mutations.map(({ name }) => name).join("; "),
    lines,
    good: good.map((each) => JSON.stringify(each)),
  };
}

/** Messages that end a turn are tried one by one, because lines after them are no part of the turn. */
const ENDINGS: ReadonlySet<unknown> = new Set(["result", "command_lifecycle"]);

/** For every field of every message, the cases with all its replacements. */
function* casesOf(turn: readonly Json[]): Generator<Case[]> {
  const short = turn.filter(({ type }) => type !== "stream_event" && type !== "user");
  for (const message of [...turn, ...AROUND]) {
    const isEnding = ENDINGS.has(message["type"]);
    const lines = isEnding ? short : turn;
    const middle = lines.findIndex(({ type }) => type === "assistant");
    const at = lines.includes(message) ? lines.indexOf(message) : middle;
    for (const path of placesIn(message)) {
      const all = mutationsAt(message, path);
      yield isEnding ? all.map((each) => caseOf(lines, at, [each])) : [caseOf(lines, at, all)];
    }
  }
}

async function problemsOf(
  cases: Iterable<readonly Case[]>,
  open: () => Promise<Conversation>,
): Promise<string[]> {
  const problems: string[] = [];
  let talk: Conversation | undefined;
  for (const each of [...cases].flat()) {
    if (talk === undefined || talk.isOver) talk = await open();
    let problem = await talk.run(each);
    if (problem === AGAIN) {
      talk = await open();
      problem = await talk.run(each);
    }
    if (problem === undefined) continue;
    problems.push(problem);
    await talk.close();
    talk = undefined;
    if (problems.length >= MOST_PROBLEMS) break;
  }
  await talk?.close();
  return problems;
}

/** Whether to try every value in every field, as a full run and `npm run fuzz` do. */
const IS_LONG = FULL || process.env["HAWSER_RUNS"] !== undefined;

/** `npm test` tries each n-th field; `offset` is where the fields begin. */
function sampled<T>(all: readonly T[], offset: number): readonly T[] {
  return IS_LONG ? all : all.filter((_, n) => n % 12 === offset);
}

/** `npm test` tries one of the values in each field, the next value in the next field. */
function kindsAt(n: number): readonly string[] {
  return IS_LONG ? FEW : FEW.slice(n % FEW.length).slice(0, 1);
}

const MOST_PROBLEMS = 20;
/** Thousands of turns. Observed: 30 s on a machine with seven times more work than cores. */
const LIMIT_MS = 240_000;

/** Fewer values than REPLACEMENTS, because a call reads little of a turn but its result and its start. */
const FEW = ["null", "number", "string", "hostile", "list of hostile", "deep", "missing"];

async function typedOr<T>(promise: Promise<T>): Promise<T | "typed"> {
  return promise.catch((error: unknown) => {
    if (isHawserError(error)) return "typed" as const;
    throw error;
  });
}

describe("openSession() with any value in any field of the answer to initialize", () => {
  it(
    "resolves, or rejects with a HawserError",
    async () => {
      const [answer = {}] = recorded("2.1.325");
      for (const [n, path] of [...placesIn(answer)].entries()) {
        for (const kind of kindsAt(n)) {
          const mutated = lineOf(replaced(answer, path, REPLACEMENTS[kind]));
          const peer = new Peer(({ type, request_id }) =>
            type === "control_request"
              ? [mutated.replaceAll('"r1"', JSON.stringify(request_id)), acknowledged(request_id)]
              : [],
          );
          const session = await typedOr(openSession(peer.options));
          if (session !== "typed") await session.close();
        }
      }
    },
    LIMIT_MS,
  );
});

describe("complete() with any value in any field of the result", () => {
  const results = [...recorded("2.1.325"), ...AROUND].filter(({ type }) => type === "result");

  it.each(
    results.map((result) => [String(result["subtype"]), result["is_error"], result] as const),
  )("%s, is_error %s: resolves, or rejects with a HawserError", async (_, __, result) => {
    const [, ...turn] = distinct(recorded("2.1.325"));
    const before = turn.slice(0, -3).map(lineOf);
    for (const [n, path] of [...placesIn(result)].entries()) {
      for (const kind of kindsAt(n)) {
        const mutated = lineOf(replaced(result, path, REPLACEMENTS[kind]));
        const lines = [...before, mutated, ...turn.slice(-3).map(lineOf)];
        const peer = new Peer(({ type, request_id, uuid = "" }) => {
          if (type === "control_request") return [acknowledged(request_id)];
          return type === "user" ? lines.map((line) => line.replaceAll(PROMPT_ID, uuid)) : [];
        });
        await typedOr(complete("go", peer.options));
      }
    }
  });
});

describe.each(VERSIONS)("any value in any field of any message of %s", (version) => {
  const turn = distinct(recorded(version).slice(1));
  const cases = [...casesOf(turn)];

  const offset = VERSIONS.indexOf(version);

  it(
    "does not break a session or its later turns",
    async () => {
      expect(await problemsOf(sampled(cases, offset), () => inSession())).toEqual([]);
    },
    LIMIT_MS,
  );

  it(
    "does not break a query",
    async () => {
      expect(await problemsOf(sampled(cases, offset + 6), () => inQuery())).toEqual([]);
    },
    LIMIT_MS,
  );
});
