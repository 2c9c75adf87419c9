// The program of a soak that has the pool. It reports its findings in one message, and then has nothing
// that would keep it alive.
import { subscribe } from "node:diagnostics_channel";
import { getEventListeners } from "node:events";
import { DIST } from "../../../../tools/dist.js";
import { holdings, leftSince } from "./left.js";
import { allowed, planOf } from "./plan.js";

const { createPool, isHawserError, processes } = await import(`${DIST}/index.js`);

const { calls, seed, cliPath, cwd, env, memory } = JSON.parse(process.argv[2]);
const AT_ONCE = 6;
const STRETCHES = 40;
const problems = [];
const outcomes = {};
const samples = [];
const ends = new Map();
const timers = new Set();
let kills = 0;
let settled = 0;

subscribe("hawser:call:start", (/** @type {any} */ { call }) => void ends.set(call, 0));
subscribe("hawser:call:end", (/** @type {any} */ { call }) => {
  // Each is told once; what is over need not be kept.
  if (!ends.delete(call)) problems.push(`call ${call} ended twice`);
});

/** One signal of all calls, which must not collect listeners. */
const common = new AbortController();
const own = { cliPath, cwd, env, inheritEnv: false };
const KINDS = {
  lean: own,
  other: { ...own, systemPrompt: "Be brief." },
  tools: { ...own, tools: ["Read"] },
};

// Node opens these when they are first used.
void [process.stdout, process.stderr];
const before = holdings();
const pool = createPool({ size: { min: 1, max: 4 }, concurrency: 3, warm: [own] });
let next = 0;
// The memory is measured while no call runs, because running calls and fresh buffers say nothing.
const stretch = memory ? Math.ceil(calls / STRETCHES) : calls;
while (next < calls) {
  const until = Math.min(calls, next + stretch);
  await Promise.all(Array.from({ length: AT_ONCE }, () => work(until)));
  if (memory) await measure();
}
const stats = pool.stats();
for (const timer of timers) clearTimeout(timer);
await closeWithCalls();

if (ends.size > 0) problems.push(`${ends.size} calls never ended`);
if (settled !== calls) problems.push(`${settled} of ${calls} calls settled`);
for (const left of await leftSince(before, 10_000)) problems.push(`left: ${left}`);
const listeners = getEventListeners(common.signal, "abort").length;
if (listeners > 0) problems.push(`${listeners} listeners on a signal`);
const flat = memory ? memoryReport() : undefined;

const { calls: counted, processes: processCounts, totalMs } = stats;
process.send?.({
  outcomes,
  kills,
  calls: counted,
  processes: processCounts,
  totalMs,
  memory: flat,
  problems,
});
process.disconnect();

async function work(until) {
  while (next < until) {
    const plan = planOf(seed, next++);
    const outcome = await run(plan);
    settled += 1;
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    if (!allowed(plan, kills > 0).has(outcome)) {
      problems.push(`${JSON.stringify(plan)} came to ${outcome}`);
    }
  }
}

async function run(plan) {
  const abort = new AbortController();
  if (plan.ended === "abort") after(plan.afterMs, () => abort.abort());
  if (plan.killAfterMs !== undefined) after(plan.killAfterMs, () => kill(plan.which));
  let times = 0;
  try {
    const text = await begin(plan, optionsOf(plan, abort)).finally(() => {
      times += 1;
    });
    return text === `answer to ${plan.word}` ? "ok" : `another answer: ${text}`;
  } catch (error) {
    return isHawserError(error) ? error.code : `not typed: ${error?.stack}`;
  } finally {
    if (times !== 1) problems.push(`${plan.word} settled ${times} times`);
    const listening = getEventListeners(abort.signal, "abort").length;
    if (listening > 0) problems.push(`${plan.word} left ${listening} listeners`);
  }
}

function optionsOf(plan, abort) {
  const { kind, ended, afterMs, retries, priority, tenant } = plan;
  const alone = { ...own, sessionId: crypto.randomUUID(), persistSession: true };
  return {
    ...(kind === "alone" ? alone : KINDS[kind]),
    priority,
    tenant,
    signal: abort.signal,
    abortController: common,
    ...(ended === "timeout" ? { timeouts: { totalMs: afterMs } } : {}),
    ...(retries > 0 ? { retry: { attempts: retries, baseMs: 20, budgetMs: afterMs } } : {}),
  };
}

async function begin({ way, word }, options) {
  if (way === "complete") return (await pool.complete(word, options)).text;
  if (way === "stream") {
    const stream = pool.stream(word, options);
    let text = "";
    for await (const part of stream.textStream) text += part;
    await stream.completion;
    return text;
  }
  const { retry: _, timeouts, ...rest } = options;
  const session = await pool.openSession({ ...rest, preset: "lean", timeouts });
  try {
    return await session.send(word).text();
  } finally {
    await session.close();
  }
}

/** Acts after this time, whether the call still runs or not. */
function after(ms, act) {
  const timer = setTimeout(() => {
    timers.delete(timer);
    act();
  }, ms);
  timers.add(timer);
}

/** Kills one of our processes, in any state. */
function kill(which) {
  const all = processes();
  const { pid } = all[Math.floor(which * all.length)] ?? {};
  if (pid === undefined) return;
  try {
    process.kill(pid, "SIGKILL");
    kills += 1;
  } catch {
    // It has ended by itself.
  }
}

/** Closes the pool while some calls run and some wait. */
async function closeWithCalls() {
  const hanging = Array.from({ length: AT_ONCE }, (_, n) => {
    const { word } = planOf(seed, calls + n);
    return pool.complete(word, { ...own, signal: common.signal }).catch((error) => error);
  });
  await new Promise((resolve) => setImmediate(resolve));
  await pool.close();
  if (processes().length > 0) problems.push(`${processes().length} processes outlived close()`);
  for (const error of await Promise.all(hanging)) {
    if (error?.code !== "pool_closed") problems.push(`at the end: ${error?.code ?? "an answer"}`);
  }
}

async function measure() {
  // Node frees memory outside of the heap a moment after the garbage collection.
  for (let times = 0; times < 2; times += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    globalThis.gc?.();
  }
  const { heapUsed, external } = process.memoryUsage();
  const [heap, outside] = [heapUsed, external].map((bytes) => bytes / 2 ** 20);
  samples.push({ at: settled / calls, mb: heap + outside, heap, outside });
}

/** Memory is flat if the last quarter needs no more than the second quarter. */
function memoryReport() {
  const quarter = (n) => {
    const mb = samples.filter(({ at }) => at > (n - 1) / 4 && at <= n / 4).map((each) => each.mb);
    return mb.sort((a, b) => a - b)[Math.floor(mb.length / 2)];
  };
  const [second, last] = [quarter(2), quarter(4)].map((mb) => Math.round(mb * 100) / 100);
  if (last > second + 1) problems.push(`memory grew from ${second} to ${last} MB`);
  // All samples, so that a reader can tell a step from a slope.
  const course = samples.map(({ heap, outside }) => `${heap.toFixed(1)}+${outside.toFixed(1)}`);
  return { second, last, course: course.join(" ") };
}
