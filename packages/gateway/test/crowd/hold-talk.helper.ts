import type { Agent } from "node:http";
import { postOver, type Received } from "../support/socket-client.js";
import type { BodyOptions, Part, SeenAnswer } from "../support/wire-format.js";
import { answerWith, type Talk, TOOL, talksIn, wordOf, wordsIn } from "./talk.helper.js";

/** What became of all talks. */
export interface CrowdReport {
  whole: number;
  leftBefore: number;
  leftInside: number;
  readonly findings: string[];
}

/** A client holds a talk, and reports everything in its answers that should not be so. */
export async function holdTalk(
  port: number,
  agent: Agent,
  talk: Talk,
  report: CrowdReport,
): Promise<void> {
  const { id, format, hasTool, usesTool, isStored, departures } = talk;
  const parts: readonly Part[] = [...talk.history, { user: talk.question }];
  const more = { store: isStored };
  const options: BodyOptions = {
    isStreamed: talk.isStreamed,
    system: talk.system,
    ...(hasTool ? { tool: { name: TOOL, description: talk.toolDescription } } : {}),
    ...(isStored ? { more } : {}),
  };
  const post = async (body: object, turn: 0 | 1) => {
    const leaves = departures[turn];
    const received = await postOver(port, format.path, body, { agent, leaves });
    return noted(talk, received, report);
  };
  const find = (what: string) => void report.findings.push(`talk ${id} (${format.name}): ${what}`);

  const first = await post(format.body(parts, options), 0);
  if (first === undefined) return;
  if (!usesTool) return expectText(first, wordsOf(parts), find);
  const [call] = first.calls;
  if (call === undefined) return find(`no call in ${JSON.stringify(first)}`);
  const called = JSON.stringify([call.name, call.input]);
  if (called !== JSON.stringify([TOOL, { word: wordOf(id, "call") }])) find(`called ${called}`);

  const result: Part = { result: { id: call.id, text: `Found ${wordOf(id, "result")}.` } };
  const all = [...parts, { call }, result];
  const body = isStored
    ? format.body([result], { ...options, more: { ...more, previous_response_id: first.id } })
    : format.body(all, options);
  const second = await post(body, 1);
  if (second !== undefined) expectText(second, wordsOf(all), find);
  for (const stored of isStored ? [first, second] : []) {
    if (stored === undefined) continue;
    const path = `${format.path}/${stored.id}`;
    const { status } = await postOver(port, path, undefined, { agent, method: "DELETE" });
    if (status !== 200) find(`${status} for the removal of a stored response`);
  }
}

/** The answer, if the client stayed and it is whole. */
function noted(
  { id, format, isStreamed }: Talk,
  { status, text, hasLeft, cutBy }: Received,
  report: CrowdReport,
): SeenAnswer | undefined {
  const find = (what: string) => void report.findings.push(`talk ${id} (${format.name}): ${what}`);
  const strangers = talksIn(text).filter((each) => each !== id);
  if (strangers.length > 0) find(`got words of ${strangers.join()}`);
  if (hasLeft) {
    if (text === "") report.leftBefore += 1;
    else report.leftInside += 1;
    return undefined;
  }
  if (status !== 200 || cutBy !== undefined) {
    find(`status ${status}, ${cutBy?.message ?? "not cut"}: ${text.slice(0, 500)}`);
    return undefined;
  }
  const answer = isStreamed ? format.streamed(text) : format.whole(text);
  if (!answer.isWhole) find(`not whole: ${text.slice(-500)}`);
  report.whole += 1;
  return answer;
}

function expectText({ text }: SeenAnswer, words: readonly string[], find: (what: string) => void) {
  const expected = answerWith(words);
  if (text !== expected) find(`"${text}" in place of "${expected}"`);
}

/** The words that the model sees, in their order. */
function wordsOf(parts: readonly Part[]): string[] {
  return wordsIn(JSON.stringify(parts));
}
