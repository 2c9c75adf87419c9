// Plays cassettes of one SDK to the other. Each scenario is recorded with each SDK, on the real CLI with
// the simulated model, and replayed without a CLI and without a model: in strict mode to the same SDK, in
// loose mode to the other. Both must observe the same, field by field, except for volatile values.
//
//   node parity/cassettes.js      one line for each; exit code 1 on any difference
//     --keep <folder>                   keeps the cassettes in a folder
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import * as official from "@anthropic-ai/claude-agent-sdk";
import * as ours from "hawser";
import { isolatedEnv, record, replay } from "hawser/testing";
import { openPlace } from "../tools/place.js";
import { scenarios } from "./cassettes/scenarios.js";
import { compare, describe } from "./compare.js";
import { mask } from "./mask.js";
import { thrown } from "./observe.js";

const { values: flags } = parseArgs({ options: { keep: { type: "string" } } });

// The official SDK warns about options that scenarios combine on purpose.
process.removeAllListeners("warning");

const SDKS = { official, ours };

/** The prompts of the query in one session, which sends other and more messages than a query. */
const IN_SESSION = {
  async run(sdk, options) {
    const session = await sdk.openSession({ ...options, inheritEnv: false });
    const spoken = [];
    for (const prompt of ["one", "two"]) spoken.push(await session.send(prompt).text());
    await session.close();
    return { texts: spoken };
  },
};

/** How a scenario ends if it works as described. */
const WHOLE = { error: null, script: "played to its end", mismatches: [] };

const LIMIT_MS = 60_000;
const folder = flags.keep ?? mkdtempSync(join(tmpdir(), "hawser-cassettes-"));
let different = 0;

for (const [name, scenario] of Object.entries(scenarios)) {
  for (const from of Object.keys(SDKS)) {
    const file = join(folder, `${name.replace(/[^a-z]+/gi, "-")}.${from}.jsonl`);
    const recorded = await recordFrom(SDKS[from], scenario, file);
    report(`${name}: recorded from ${from}`, recorded, { ...recorded, ...WHOLE });
    for (const to of Object.keys(SDKS)) {
      const mode = from === to ? "strict" : "loose";
      const replayed = await replayTo(SDKS[to], scenario, file, mode);
      report(`${name}: recorded from ${from}, ${mode} replay to ${to}`, recorded, replayed);
    }
    const spoken = await replayTo(ours, IN_SESSION, file, "loose");
    report(`${name}: recorded from ${from}, loose replay to openSession()`, said(recorded), spoken);
    await plant(scenario, file, recorded);
  }
}
if (flags.keep === undefined) rmSync(folder, { recursive: true });
console.log(different === 0 ? "\nall the same" : `\n${different} different`);
process.exit(different === 0 ? 0 : 1);

/** A difference that is planted in the cassette must be found; otherwise the comparison proves nothing. */
async function plant(scenario, file, recorded) {
  const planted = `${file}.planted`;
  writeFileSync(planted, readFileSync(file, "utf8").replaceAll('"second"', '"third"'));
  const replayed = await replayTo(ours, scenario, planted, "loose");
  rmSync(planted);
  if (compare(recorded, replayed).some(({ path }) => path.endsWith(".result"))) return;
  console.log(`different ${file}: a planted difference was not found`);
  different += 1;
}

async function recordFrom(sdk, { script, run }, file) {
  const place = await openPlace();
  const recorder = await record({ file, cliPath: place.cli });
  place.model.add(...script);
  const options = place.options({ pathToClaudeCodeExecutable: recorder.path });
  const seen = await within(run(sdk, options));
  const observed = { ...seen, script: place.script(), mismatches: [] };
  await recorder.dispose();
  await place.close();
  return mask(observed, place);
}

async function replayTo(sdk, { run }, file, mode) {
  // Nothing listens at this address, so that no model can have answered.
  const world = await isolatedEnv();
  const cli = await replay(file, { mode });
  const options = { pathToClaudeCodeExecutable: cli.path, cwd: world.cwd, env: world.env };
  const seen = await within(run(sdk, options));
  const observed = { ...seen, script: WHOLE.script, mismatches: await cli.mismatches() };
  await cli.dispose();
  await world.dispose();
  return mask(observed, { root: dirname(world.cwd) });
}

function said({ messages = [], script, mismatches }) {
  const results = messages.filter(({ type }) => type === "result");
  return { texts: results.map(({ result }) => result), script, mismatches };
}

async function within(promise) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve({ noEndWithinMs: LIMIT_MS }), LIMIT_MS);
  });
  const failed = (error) => ({ scenarioThrew: { ...thrown(error), stack: error?.stack } });
  try {
    return await Promise.race([promise.catch(failed), late]);
  } finally {
    clearTimeout(timer);
  }
}

function report(name, recorded, replayed) {
  const differences = compare(recorded, replayed);
  console.log(`${differences.length === 0 ? "ok       " : "different"} ${name}`);
  for (const difference of differences.slice(0, 12)) {
    console.log(
      describe(difference).replace("official  ", "recorded  ").replace("ours      ", "replayed  "),
    );
  }
  if (differences.length > 0) different += 1;
}
