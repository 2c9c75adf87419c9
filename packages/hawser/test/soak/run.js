// Many calls on one pool, with aborts, timeouts, kills and errors in between: `npm run soak`. The pool
// has a process of its own, so that only the pool uses its memory.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { DIST } from "../../../../tools/dist.js";
import { nativeCli } from "../../../../tools/native-cli.js";
import { planOf } from "./plan.js";

const { always, apiError, hang, isolatedEnv, reply, SimulatedModel } = await import(
  `${DIST}/testing/index.js`
);

const { values } = parseArgs({
  options: {
    calls: { type: "string", default: "2000" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1e6)) },
    memory: { type: "boolean", default: false },
  },
});
const calls = Number(values.calls);
const seed = Number(values.seed);
console.log(`${calls} calls, seed ${seed} (again: npm run soak -- --seed=${seed})`);

const counts = new Map();
const model = await SimulatedModel.start({ replies: always(answer) });
const world = await isolatedEnv({
  baseUrl: model.url,
  // One request for each attempt, so that the requests can be counted.
  extra: { CLAUDE_CODE_MAX_RETRIES: "0", CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: "1" },
});
const temporary = await mkdtemp(join(tmpdir(), "soak-"));
const begun = performance.now();
const report = await runPool();
const seconds = (performance.now() - begun) / 1000;
const filesLeft = await readdir(temporary);
await rm(temporary, { recursive: true, force: true });
await model.close();
await world.dispose();

const problems = [
  ...report.problems,
  ...filesLeft.map((name) => `a temporary file is left: ${name}`),
  ...asksTooOften(),
];
console.log(JSON.stringify({ seconds: Math.round(seconds), ...report, problems }, undefined, 2));
process.exitCode = problems.length > 0 ? 1 : 0;

async function runPool() {
  const program = fileURLToPath(new URL("./pool.js", import.meta.url));
  const job = {
    calls,
    seed,
    cliPath: nativeCli("@anthropic-ai/claude-code"),
    cwd: world.cwd,
    env: world.env,
  };
  const child = fork(program, [JSON.stringify({ ...job, memory: values.memory })], {
    execArgv: ["--expose-gc"],
    env: { ...process.env, TMPDIR: temporary },
  });
  /** @type {any} */
  let said;
  child.on("message", (message) => {
    said = message;
  });
  const [code, signal] = await once(child, "exit");
  if (said === undefined) throw new Error(`The pool's process ended: ${code ?? signal}`);
  // The process exits because it has nothing left to do, without a signal.
  return code === 0 ? said : { ...said, problems: [...said.problems, `exit code ${code}`] };
}

function answer({ prompt }) {
  const [word, number] = /soak-\d+-(\d+)-end/.exec(prompt) ?? [];
  counts.set(word, (counts.get(word) ?? 0) + 1);
  // The calls after the last one wait until the pool is closed.
  if (Number(number) >= calls) return hang();
  const plan = planOf(seed, Number(number));
  switch (plan.model) {
    case "hangs":
      return hang();
    case "stalls":
      return hang(`answer to ${word}`);
    case "isSlow":
      return reply(`answer to ${word}`, { delayMs: plan.afterMs / 4, chunks: 5, chunkDelayMs: 5 });
    case "answers":
      return reply(`answer to ${word}`);
    default:
      return apiError(Number(plan.model));
  }
}

/** Each attempt may send one request to the model. */
function asksTooOften() {
  return [...counts].flatMap(([word, count]) => {
    const plan = planOf(seed, Number(/-(\d+)-end$/.exec(word)?.[1]));
    return count > plan.retries + 1 ? [`${word} (${plan.model}) was sent ${count} times`] : [];
  });
}
