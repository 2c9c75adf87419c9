// What a request to the model says about the run that it belongs to.

/** The beginning of the prompt of a run, before its plan as JSON. */
export const PROMPT = "Chaos run ";

/** @param {{ number: number, steps: readonly string[] }} run */
export function promptOf({ number, steps }) {
  return `${PROMPT}${JSON.stringify({ number, steps })}`;
}

/** Marks of calls, as in the commands of the tool. */
const MARKS = /r(\d+)\.(\d+)\.(\d+)\.(tool|ask)/g;

/** The text with which the fleet, or the CLI itself, says that nobody knows what a call did. */
const UNCERTAIN = /Nobody knows whether it took effect|outcome is unknown/;
const TOLD_LIST = "nobody knows whether they took effect";

/**
 * The plan of the run, the step that the model makes next, and the marks of the calls that the model was told to be
 * uncertain. A step is over if its result is there, if a person denied it, or, for every second step, if it is
 * uncertain: then the model does not repeat it.
 */
export function readConversation(body) {
  const blocks = body.messages.flatMap(({ role, content }) => blocksOf(role, content));
  const texts = blocks.flatMap(({ type, text }) => (type === "text" ? [text] : []));
  const run = planIn(texts);
  const marksById = new Map(blocks.flatMap(callIn));
  const told = new Set(texts.filter((text) => text.includes(TOLD_LIST)).flatMap(marksIn));
  const results = {};
  for (const block of blocks.filter(({ type }) => type === "tool_result")) {
    const mark = marksById.get(block.tool_use_id);
    if (mark === undefined) continue;
    const text = textOf(block.content);
    results[mark] = resultOf(text, mark);
    if (results[mark] === "uncertain") told.add(mark);
  }
  if (run === undefined) return { run, told: [...told], results, next: undefined };
  const isOver = (step) => isStepOver(run, step, results, told);
  const steps = run.steps.map((kind, step) => ({ kind, step }));
  return { run, told: [...told], results, next: steps.find(({ step }) => !isOver(step)) };
}

function isStepOver(run, step, results, told) {
  const prefix = `r${run.number}.${step}.`;
  const isOfStep = (mark) => mark.startsWith(prefix);
  const known = Object.entries(results).filter(([mark]) => isOfStep(mark));
  if (known.some(([, result]) => result === "recorded" || result === "denied")) return true;
  const isUncertain = [...told].some(isOfStep);
  return isUncertain && (run.number + step) % 2 === 0;
}

function resultOf(text, mark) {
  if (text.includes(`recorded ${mark}`)) return "recorded";
  if (text.includes(DENIAL)) return "denied";
  return UNCERTAIN.test(text) ? "uncertain" : "not_made";
}

/** What the person of a chaos run says when it denies a call. */
export const DENIAL = "No, not this step.";

/** The last one: a session can have several runs. */
function planIn(texts) {
  const plans = texts.flatMap((text) => [...text.matchAll(/Chaos run (\{[^}]*\})/g)]);
  const last = plans.at(-1);
  return last === undefined ? undefined : JSON.parse(last[1]);
}

function blocksOf(role, content) {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  // What the model itself has said is no message to it.
  return blocks.filter(({ type }) => role === "user" || type === "tool_use");
}

function callIn({ type, id, input }) {
  if (type !== "tool_use") return [];
  const [mark] = marksIn(String(input?.command));
  return mark === undefined ? [] : [[id, mark]];
}

export function marksIn(text) {
  return [...text.matchAll(MARKS)].map(([mark]) => mark);
}

function textOf(content) {
  return typeof content === "string" ? content : JSON.stringify(content ?? "");
}
