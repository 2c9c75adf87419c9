import { describe, expect, it } from "vitest";
import { isHawserError } from "../../src/base/index.js";
import { NO_ANSWER } from "../../src/control/index.js";
import { openSession } from "../../src/session/index.js";
import { failure, openLine, type Sent, settled, success } from "../control/line.helper.js";
import { fc } from "../support/fc.js";
import { runs } from "../support/runs.js";
import { lineOf, mutationsAt, placesIn, REPLACEMENTS, replaced } from "./mutate.helper.js";
import { acknowledged, type HostLine, Peer } from "./peer.helper.js";
import { type Json, REQUESTS } from "./samples.helper.js";

function asks(id: unknown, request: unknown): Json {
  return { type: "control_request", request_id: id, request };
}

function answersTo(id: string, sent: readonly (Sent | HostLine)[]): unknown[] {
  return sent.filter(({ type, response }) => {
    return type === "control_response" && response?.request_id === id;
  });
}

const MUTATED: readonly Json[] = REQUESTS.flatMap((request, at) => {
  const message = asks(`q${at}`, request);
  return [...placesIn(message)].flatMap((path) =>
    mutationsAt(message, path).map((mutation) => mutation.message),
  );
});

/** The ids of real requests. */
function legalIds(lines: readonly Json[]): string[] {
  const ids = lines.flatMap(({ type, request_id, request }) => {
    const { subtype } = (request ?? {}) as { subtype?: unknown };
    const legal = type === "control_request" && typeof subtype === "string";
    return legal && typeof request_id === "string" ? [request_id] : [];
  });
  return [...new Set(ids)];
}

describe("incoming request with any value in any field", () => {
  it("is answered once by a session if possible, and a malformed request is never allowed", async () => {
    const called: unknown[][] = [];
    const peer = new Peer(({ type, request_id }) =>
      type === "control_request" ? [acknowledged(request_id)] : [],
    );
    const session = await openSession({
      ...peer.options,
      canUseTool: async (...given) => {
        called.push(given);
        return { behavior: "allow" };
      },
      hooks: { PreToolUse: [{ hooks: [async () => ({})] }] },
      onElicitation: async () => ({ action: "accept" }),
    });
    const lines: Json[] = MUTATED.map((message, n) => {
      const { request_id } = message;
      return { ...message, ...(typeof request_id === "string" ? { request_id: `r${n}` } : {}) };
    });
    peer.print(lines.map(lineOf));
    peer.print([JSON.stringify(asks("last", { subtype: "brand_new" }))]);
    await peer.until((sent) => answersTo("last", sent).length > 0);
    const ids = legalIds(lines);
    await peer.until((sent) => ids.every((id) => answersTo(id, sent).length > 0));
    expect(ids.filter((id) => answersTo(id, peer.sent).length !== 1)).toEqual([]);
    const answerable = lines.filter(
      ({ type, request_id }) => type === "control_request" && typeof request_id === "string",
    );
    const answers = peer.sent.filter(({ type }) => type === "control_response");
    expect(answers.length).toBe(answerable.length + 1);
    for (const line of lines) {
      const { request_id } = line;
      if (typeof request_id !== "string") continue;
      if (!isGranted(answersTo(request_id, peer.sent)[0])) continue;
      expect(line).toMatchObject({
        request: {
          subtype: "can_use_tool",
          tool_name: expect.any(String) as string,
          input: expect.any(Object) as object,
        },
      });
    }
    expect(called.length).toBeGreaterThan(0);
    await session.close();
  });
});

function idIn(response: unknown): unknown {
  return typeof response === "object" && response !== null
    ? Reflect.get(response, "request_id")
    : undefined;
}

function isGranted(answer: unknown): boolean {
  const { response } = (answer ?? {}) as { response?: { response?: { behavior?: unknown } } };
  return response?.response?.behavior === "allow";
}

describe("answer of the CLI with any value in any field", () => {
  const shapes = [
    (id: string) => success(id, { a: 1 }),
    (id: string) => failure(id, { error: "no", error_code: "invalid_request" }),
  ];

  it("settles only the request with its id; a valid answer settles the others", async () => {
    for (const shape of shapes) {
      for (const path of placesIn(shape("x"))) {
        for (const value of Object.keys(REPLACEMENTS)) {
          const line = await openLine();
          const answer = line.control.request({ subtype: "get_settings" });
          const outcome = answer.then(
            () => "answered",
            (error: unknown) => (isHawserError(error) ? "typed" : `not typed: ${String(error)}`),
          );
          const [{ request_id = "" } = {} as Sent] = await line.sentUpTo(1);
          const mutated = replaced(shape(request_id), path, REPLACEMENTS[value]) as Json;
          line.say(lineOf(mutated));
          await settled();
          const { type, response } = mutated;
          const isHis = type === "control_response" && idIn(response) === request_id;
          const name = `${path.join(".")} = ${value}`;
          expect([name, line.control.isQuiet]).toEqual([name, isHis]);
          line.say(success(request_id, {}));
          line.say(success(request_id, {}));
          expect([name, await outcome]).toEqual([
            name,
            expect.stringMatching(/^(answered|typed)$/),
          ]);
          expect(line.control.isQuiet).toBe(true);
          await line.cli.close();
          await line.ended;
        }
      }
    }
  });
});

const id = fc.constantFrom<unknown>("a", "b", "c", "d", 1, null, undefined, "", {}, "__proto__");
const body = fc.oneof(
  fc.constantFrom(...REQUESTS),
  fc.constantFrom<unknown>(undefined, null, 7, "x", [], {}, { subtype: 1 }, { subtype: null }),
);
const frame: fc.Arbitrary<Json> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(id, body).map(([one, request]) => asks(one, request)) },
  {
    weight: 3,
    arbitrary: id.map((request_id) => ({ type: "control_cancel_request", request_id })),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(id, fc.constantFrom("success", "error", 1, undefined))
      .map(([one, kind]) => ({
        type: "control_response",
        response: { subtype: kind, request_id: one },
      })),
  },
  { weight: 1, arbitrary: fc.constantFrom<Json>({ type: "control_response" }, { type: "x" }, {}) },
);

describe("control messages in any order", () => {
  it("answer each request once, and leave no call waiting", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { maxLength: 25 }), fc.boolean(), async (frames, late) => {
        const open: (() => void)[] = [];
        const line = await openLine(async ({ subtype }) => {
          expect(typeof subtype).toBe("string");
          await new Promise<void>((resolve) => {
            open.push(resolve);
            if (!late) resolve();
          });
          return subtype === "brand_new" ? NO_ANSWER : {};
        });
        const asked = [1, 2, 3].map(() =>
          line.control.request({ subtype: "get_settings" }).then(
            () => "answered",
            (error: unknown) => (isHawserError(error) ? error.code : String(error)),
          ),
        );
        await line.sentUpTo(3);
        for (const each of frames) line.say(each);
        await settled();
        for (const done of open) done();
        await settled();
        const answered = line.sent.filter(({ type }) => type === "control_response");
        expect(answered.length).toBeLessThanOrEqual(frames.length);
        for (const one of ["a", "b", "c", "d"]) {
          expect(line.sent.filter((each) => answersTo(one, [each]).length > 0).length).toBe(
            expectedAnswers(one, frames),
          );
        }
        line.cli.exit({ code: 1 });
        await line.ended;
        expect(new Set(await Promise.all(asked))).toEqual(new Set(["process_exited"]));
        expect(line.control.isQuiet).toBe(true);
        expect(line.corrupt).toEqual([]);
      }),
      { numRuns: runs(150) },
    );
  });
});

/**
 * A request without a subtype is refused at once. Any other request is answered, unless it was
 * cancelled before. A second request with the id of a running request is ignored, but a request that
 * was cancelled has freed its id.
 */
function expectedAnswers(one: string, frames: readonly Json[]): number {
  let answers = 0;
  let working: "no" | "yes" | "silent" = "no";
  for (const { type, request_id, request } of frames) {
    if (request_id !== one) continue;
    const { subtype } = (request ?? {}) as { subtype?: unknown };
    if (type === "control_cancel_request") working = "no";
    if (type !== "control_request") continue;
    if (typeof subtype !== "string") answers += 1;
    else if (working === "no") working = subtype === "brand_new" ? "silent" : "yes";
  }
  return answers + (working === "yes" ? 1 : 0);
}
