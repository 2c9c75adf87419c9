// The model of a chaos run, in a process of its own that no fault reaches, so that its log is complete. It counts every
// request. Its replies follow the prompt of the run and what the transcript says about each step.
// Argument: the folder of the chaos run. It prints its address.
import { reply, SimulatedModel, toolUse } from "hawser/testing";
import { randomFrom } from "../../../hawser/test/soak/plan.js";
import { appendLine, placeOf } from "./place.js";
import { hash } from "./plan.js";
import { readConversation } from "./read-conversation.js";

const place = placeOf(process.argv[2]);
const model = await SimulatedModel.start({ replies });
/** How many calls were made for each step of each run, so that each call has a mark of its own. */
const calls = new Map();
console.log(model.url);
process.stdin.resume().on("end", () => process.exit());
process.stdin.on("error", () => process.exit());

function replies(request) {
  const segment = request.headers["x-chaos-segment"];
  const { run, next, told, results } = readConversation(request.body);
  const call = next === undefined ? undefined : callOf(run, next);
  const line = { at: request.arrivedAt, segment, run: run?.number, told, results, call };
  appendLine(place.requests, line);
  const content = call === undefined ? `Run ${run?.number} is done.` : callBlock(call);
  const random = randomFrom(hash(`${segment} ${request.number}`));
  return reply(content, {
    usage: USAGE,
    delayMs: Math.round(random() * 300),
    chunks: 3,
    chunkDelayMs: Math.round(random() * 150),
  });
}

/** The same for each request, so that the cost of a segment tells how many requests it made. */
const USAGE = { input_tokens: 1_000, output_tokens: 100 };

function callOf(run, { step, kind }) {
  const key = `${run.number}.${step}`;
  const count = (calls.get(key) ?? 0) + 1;
  calls.set(key, count);
  const mark = `r${key}.${count}.${kind}`;
  return { id: `toolu_${mark.replaceAll(".", "_")}`, mark, run: run.number, step };
}

function callBlock({ id, mark }) {
  const seconds = (hash(mark) % 60) / 10;
  const input = { command: `${place.tool} ${mark} ${seconds}`, description: "Record the step" };
  return toolUse("Bash", input, { id });
}
