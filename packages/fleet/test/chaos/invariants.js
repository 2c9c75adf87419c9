// What must hold after a chaos run, whatever the faults were. Each check returns sentences about what does not hold.

/**
 * Everything that is known after a chaos run: the tables (`readTables()`), the logs (`readLogs()`), and
 * - `planned`: the runs that were submitted, with their keys;
 * - `priceUsd`: what one request to the model costs;
 * - `thaws`: when stopped hosts went on;
 * - `processes`: the command lines of processes that are left.
 * @typedef {ReturnType<typeof import("./read-facts.js").readLogs>
 *   & Awaited<ReturnType<typeof import("./read-facts.js").readTables>>
 *   & { planned: readonly { key: string, steps: readonly string[], number: number }[], priceUsd: number,
 *     thaws: readonly { host: string, at: number }[], processes: readonly string[] }} Facts
 */

/** Clocks of Postgres and of Node are read at different moments. */
const CLOCK_MS = 100;

/** A CLI that was stopped with its host may send one more request before the host kills it. */
const THAW_MS = 5_000;

/** @param {Facts} facts */
export function violations(facts) {
  return Object.values(INVARIANTS).flatMap((check) => check(facts));
}

/** @type {Record<string, (facts: Facts) => string[]>} */
export const INVARIANTS = {
  everyRunIsSettledOnce,
  everySegmentIsChargedOnce,
  sumsAgree,
  costsFollowRequests,
  everyRequestIsBooked,
  transcriptsAreFenced,
  segmentsDoNotOverlap,
  everyQuestionIsAnsweredOnce,
  uncertainCallsAreNamed,
  stepsAreNotRepeatedSilently,
  nothingIsLeft,
};

const SETTLED = ["done", "failed", "cancelled"];

/** @param {Facts} facts */
function everyRunIsSettledOnce({ planned, runs, events, lastEvents, spend }) {
  const problems = [];
  for (const { key } of planned) {
    const found = runs.filter((run) => run.key === key);
    if (found.length !== 1) problems.push(`Run ${key} exists ${found.length} times.`);
  }
  const ends = groupBy(
    events.filter(({ type }) => type === "ended"),
    "run_id",
  );
  const last = new Map(lastEvents.map((event) => [event.run_id, event]));
  for (const run of runs) {
    const name = `Run ${run.key}`;
    if (!SETTLED.includes(run.state) || !run.ended) problems.push(`${name} is ${run.state}.`);
    const count = ends.get(run.id)?.length ?? 0;
    if (count !== 1) problems.push(`${name} has ${count} events "ended".`);
    const { type, seq } = last.get(run.id) ?? {};
    if (type !== "ended") problems.push(`${name} has the event "${type}" last.`);
    if (seq !== run.next_event - 1) problems.push(`${name} has lost events after ${seq}.`);
    const hasOutcome = run.outcome !== null;
    if (hasOutcome !== (run.state === "done") || hasOutcome === (run.error !== null)) {
      problems.push(`${name} is ${run.state} with an outcome or error that does not fit.`);
    }
  }
  const counted = sum(spend.map((day) => day.runs));
  const begun = runs.filter(({ segment }) => segment > 0).length;
  if (counted !== begun) problems.push(`${begun} runs were begun, and ${counted} are counted.`);
  return problems;
}

/** @param {Facts} facts */
function everySegmentIsChargedOnce({ segments, charges }) {
  const problems = [];
  const count = countBy(charges.map(nameOf));
  for (const segment of segments) {
    const name = nameOf(segment);
    const found = count.get(name) ?? 0;
    if (found !== 1) problems.push(`Segment ${name} has ${found} charges.`);
    if (segment.end === null || segment.ended === null) problems.push(`Segment ${name} is open.`);
    count.delete(name);
  }
  for (const name of count.keys()) problems.push(`Charge ${name} has no segment.`);
  return problems;
}

/** @param {Facts} facts */
function sumsAgree({ runs, chargesOfRuns, chargesOfTenants, spend }) {
  const problems = [];
  const ofRuns = new Map(chargesOfRuns.map(({ run_id, cost }) => [run_id, cost]));
  for (const { id, key, cost } of runs) {
    const charged = ofRuns.get(id) ?? "0";
    if (charged !== cost) problems.push(`Run ${key} costs ${cost}, its charges are ${charged}.`);
  }
  const ofTenants = new Map(chargesOfTenants.map((row) => [row.tenant, row]));
  for (const { tenant, cost, estimated } of spend) {
    const charged = ofTenants.get(tenant) ?? { cost: "0", estimated: "0" };
    if (charged.cost !== cost) {
      problems.push(`${tenant} has spent ${cost}, its charges are ${charged.cost}.`);
    }
    if (charged.estimated !== estimated) {
      problems.push(`${tenant} has ${estimated} estimated, its charges ${charged.estimated}.`);
    }
    ofTenants.delete(tenant);
  }
  for (const tenant of ofTenants.keys()) problems.push(`${tenant} has charges and no spend.`);
  return problems;
}

/**
 * A segment that was cut off has an estimate, unless it made no request. A cost that the CLI reported is that of
 * the requests that the model counted.
 * @param {Facts} facts
 */
function costsFollowRequests({ segments, charges, requests, priceUsd }) {
  const problems = [];
  const chargeOf = new Map(charges.map((charge) => [nameOf(charge), charge]));
  const made = countBy(requests.map(({ segment }) => segment));
  for (const segment of segments) {
    const name = nameOf(segment);
    const charge = chargeOf.get(name);
    if (charge === undefined) continue;
    const count = made.get(name) ?? 0;
    if (charge.estimated) {
      if (segment.end === "done") problems.push(`Segment ${name} is done and estimated.`);
      continue;
    }
    if (segment.end === "lost" && count > 0) {
      problems.push(`Segment ${name} was lost after ${count} requests and has no estimate.`);
      continue;
    }
    const expected = count * priceUsd;
    if (Math.abs(Number(charge.cost) - expected) > priceUsd / 1_000) {
      problems.push(
        `Segment ${name} (${segment.how}, ${segment.end}) made ${count} requests for ${expected} USD and is charged ${charge.cost}.`,
      );
    }
  }
  return problems;
}

/** @param {Facts} facts */
function everyRequestIsBooked({ requests, charges }) {
  const booked = new Set(charges.map(nameOf));
  return requests
    .filter(({ segment }) => !booked.has(segment))
    .map(({ segment, at }) => `The request of ${segment} at ${at} is not booked.`);
}

/** @param {Facts} facts */
function transcriptsAreFenced({ sessions, entries }) {
  const problems = [];
  const bySession = groupBy(entries, "session_id");
  for (const { id, epoch: current, next_seq } of sessions) {
    const own = bySession.get(id) ?? [];
    let newest = 0;
    for (const [place, { seq, epoch }] of own.entries()) {
      if (seq !== place) {
        problems.push(`Session ${id} has entry ${seq} at place ${place}.`);
        break;
      }
      if (epoch < newest) {
        problems.push(`Session ${id} has entry ${seq} of epoch ${epoch} after epoch ${newest}.`);
        break;
      }
      newest = epoch;
    }
    if (next_seq !== own.length) {
      problems.push(`Session ${id} has ${own.length} entries and the next number ${next_seq}.`);
    }
    if (newest > current) problems.push(`Session ${id} has an entry of the epoch ${newest}.`);
  }
  return problems;
}

/**
 * A segment begins after the one before it in its session has ended, and the CLI of a segment makes no request after
 * the next one has begun; except for a moment after its host was stopped.
 * @param {Facts} facts
 */
function segmentsDoNotOverlap({ segments, requests, thaws }) {
  const problems = [];
  const requestsOf = groupBy(requests, "segment");
  for (const own of groupBy(segments, "session_id").values()) {
    for (const [place, segment] of own.entries()) {
      const name = nameOf(segment);
      const next = own[place + 1];
      const asked = (requestsOf.get(name) ?? []).map(({ at }) => at);
      if (asked.some((at) => at < segment.began - CLOCK_MS)) {
        problems.push(`Segment ${name} made a request before it began.`);
      }
      if (next === undefined) continue;
      if (segment.ended === null || next.began < segment.ended) {
        problems.push(`Segment ${nameOf(next)} began before ${name} had ended.`);
      }
      const late = asked.filter((at) => at > next.began + CLOCK_MS);
      const isExcused = (at) =>
        thaws.some((thaw) => thaw.host === segment.host && at >= thaw.at && at < thaw.at + THAW_MS);
      for (const at of late.filter((each) => !isExcused(each))) {
        const lateMs = Math.round(at - next.began);
        problems.push(
          `Segment ${name} of ${segment.host} made a request ${lateMs} ms after ${nameOf(next)} began.`,
        );
      }
    }
  }
  return problems;
}

/** @param {Facts} facts */
function everyQuestionIsAnsweredOnce({ approvals, answers, events, executions }) {
  const problems = [];
  const given = groupBy(answers, "approval");
  const told = countBy(
    events.filter(({ type }) => type === "answered").map(({ data }) => JSON.parse(data).approval),
  );
  const executed = new Set(executions.map(({ mark }) => mark));
  for (const { id, state, decision, answered_by } of approvals) {
    if (state === "open") problems.push(`Question ${id} is open.`);
    const count = told.get(id) ?? 0;
    if (state !== "open" && count !== 1) problems.push(`Question ${id} has ${count} answers told.`);
    const own = given.get(id) ?? [];
    const counted = own.filter(({ result }) => result === "counted");
    if (counted.length > 1) problems.push(`Question ${id} was answered ${counted.length} times.`);
    const isUnknown = own.some(({ result }) => !["counted", "too_late"].includes(result));
    if (state === "answered") {
      if (counted.length === 0 && !isUnknown) problems.push(`No answer to question ${id} counted.`);
      const [{ by } = { by: answered_by }] = counted;
      if (by !== answered_by) problems.push(`Question ${id}: ${by} counted, not ${answered_by}.`);
      const mark = own[0]?.mark;
      if (JSON.parse(decision).behavior === "deny" && executed.has(mark)) {
        problems.push(`Call ${mark} was denied and ran.`);
      }
    } else if (counted.length > 0) {
      problems.push(`Question ${id} is ${state}, and an answer counted.`);
    }
  }
  return problems;
}

/**
 * A call that was begun and whose end is not known is named in the outcome, or in the last event "lost" of a run that
 * failed, and the model was told.
 * @param {Facts} facts
 */
function uncertainCallsAreNamed(facts) {
  const { runs, intents, requests } = facts;
  const problems = [];
  const named = namedCalls(facts);
  const told = new Set(requests.flatMap((request) => request.told));
  const states = new Map(runs.map(({ id, state }) => [id, state]));
  for (const { run_id, tool_use_id, input, done } of intents) {
    if (done) continue;
    const [mark] = markIn(input);
    const name = `Call ${mark} (${tool_use_id}) of run ${run_id}`;
    if (!named.has(`${run_id} ${tool_use_id}`)) {
      problems.push(`${name} is uncertain and not named in the outcome.`);
    }
    // A run that failed did not ask the model again.
    if (states.get(run_id) === "done" && !told.has(mark)) {
      problems.push(`${name} is uncertain, and the model was not told.`);
    }
  }
  return problems;
}

/**
 * A step of the plan takes effect once, or not at all if a person denied it. Otherwise, one of its calls is named as
 * uncertain. No single call runs twice.
 * @param {Facts} facts
 */
function stepsAreNotRepeatedSilently(facts) {
  const { planned, runs, executions, requests, intents } = facts;
  const problems = [];
  const named = namedCalls(facts);
  const keys = new Map(runs.map((run) => [run.key, run]));
  const ran = countBy(executions.map(({ mark }) => mark));
  for (const [mark, count] of ran) if (count > 1) problems.push(`Call ${mark} ran ${count} times.`);
  const idOf = new Map(requests.flatMap(({ call }) => (call ? [[call.mark, call.id]] : [])));
  for (const mark of ran.keys()) if (!idOf.has(mark)) problems.push(`Nobody asked for ${mark}.`);
  const intended = new Set(intents.flatMap(({ input }) => markIn(input)));
  for (const mark of ran.keys()) {
    if (!intended.has(mark)) problems.push(`Call ${mark} ran without having been written down.`);
  }
  for (const { key, number, steps } of planned) {
    const run = keys.get(key);
    if (run?.state !== "done") continue;
    for (const step of steps.keys()) {
      const marks = [...idOf.keys()].filter((mark) => mark.startsWith(`r${number}.${step}.`));
      const effects = sum(marks.map((mark) => ran.get(mark) ?? 0));
      const isNamed = marks.some((mark) => named.has(`${run.id} ${idOf.get(mark)}`));
      const isDenied = requests.some(({ results }) =>
        marks.some((mark) => results[mark] === "denied"),
      );
      if (effects === 1 || isNamed || (effects === 0 && isDenied)) continue;
      problems.push(
        `Step ${step} of run ${key} took effect ${effects} times, and nothing says so.`,
      );
    }
  }
  return problems;
}

/** @param {Facts} facts */
function nothingIsLeft({ sessions, spend, runs, jobs, processes }) {
  return [
    ...sessions
      .filter(({ holder, expires_at }) => holder !== null || expires_at !== null)
      .map(({ id, holder }) => `Session ${id} is leased by ${holder}.`),
    ...spend
      .filter(({ reserved }) => reserved !== 0)
      .map(({ tenant, reserved }) => `${tenant} has ${reserved} USD reserved.`),
    ...runs
      .filter(({ reserved }) => reserved !== 0)
      .map(({ key, reserved }) => `Run ${key} has ${reserved} USD reserved.`),
    ...jobs.map(({ id, name, state }) => `Job ${id} of ${name} is ${state}.`),
    ...processes.map((command) => `A process is left: ${command}`),
  ];
}

/** The calls that an outcome, or the last event "lost" of a failed run, names as uncertain. */
function namedCalls({ runs, events }) {
  const lost = new Map();
  for (const { run_id, type, data } of events) {
    if (type === "lost") lost.set(run_id, JSON.parse(data).uncertain);
  }
  return new Set(
    runs.flatMap(({ id, outcome }) => {
      const calls = outcome === null ? (lost.get(id) ?? []) : JSON.parse(outcome).uncertainTools;
      return calls.map(({ toolUseId }) => `${id} ${toolUseId}`);
    }),
  );
}

function markIn(input) {
  return /r\d+\.\d+\.\d+\.(tool|ask)/.exec(input)?.slice(0, 1) ?? [];
}

function nameOf({ run_id, segment }) {
  return `${run_id}/${segment}`;
}

function sum(numbers) {
  return numbers.reduce((total, each) => total + each, 0);
}

/** @returns {Map<string, any[]>} */
function groupBy(rows, name) {
  const groups = new Map();
  for (const row of rows) {
    const group = groups.get(row[name]);
    if (group === undefined) groups.set(row[name], [row]);
    else group.push(row);
  }
  return groups;
}

/** @returns {Map<string, number>} */
function countBy(names) {
  const counts = new Map();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
