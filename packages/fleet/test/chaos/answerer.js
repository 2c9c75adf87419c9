// The people of a chaos run: answers every question from a process of its own, sometimes five times at once. The log
// says of each answer whether it counted.
// Argument: the folder of the chaos run.
import { setTimeout as sleep } from "node:timers/promises";
import { openFleet } from "@hawser/fleet";
import { appendLine, placeOf } from "./place.js";
import { planAnswer } from "./plan.js";
import { DENIAL, marksIn } from "./read-conversation.js";
import { readSettings } from "./settings.js";
import { untilReachable } from "./until-reachable.js";

const place = placeOf(process.argv[2]);
const { databaseUrl, seed } = readSettings(place);
const fleet = await untilReachable(() => openFleet({ database: databaseUrl }));
const closing = new AbortController();
const answering = new Set();
let people = 0;
process.stdin.resume().on("end", () => closing.abort());
console.log("ready");

// Only what watch() tells is answered: a question that it misses stays open, and the run never settles.
for await (const change of fleet.approvals.watch({ signal: closing.signal })) {
  if (change.type === "asked") startAnswer(change.approval);
}
await Promise.all(answering);
await fleet.close();

function startAnswer(approval) {
  const answer = giveAnswers(approval).finally(() => answering.delete(answer));
  answering.add(answer);
}

async function giveAnswers({ id, run, input }) {
  const [mark] = marksIn(String(input?.command));
  const { behavior, delayMs, atOnce } = planAnswer(seed, run, mark);
  await sleep(delayMs);
  const decision = behavior === "allow" ? { behavior } : { behavior, message: DENIAL };
  await Promise.all(Array.from({ length: atOnce }, () => answer({ id, mark, decision })));
}

async function answer({ id, mark, decision }) {
  people += 1;
  const by = `person-${people}`;
  const told = { approval: id, mark, by, behavior: decision.behavior };
  let result;
  do {
    try {
      result = await fleet.approvals.answer(id, decision, { by });
    } catch (error) {
      // The answer may have counted although its program does not know.
      result = error.code;
      await sleep(200);
    }
    appendLine(place.answers, { at: Date.now(), ...told, result });
  } while (result === "database_unavailable" && !closing.signal.aborted);
}
