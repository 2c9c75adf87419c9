// Runs one program with one provider, in an environment of its own, and sends what it saw to its parent.
// Arguments: the name of the provider, and that of the program.
import { openPlace } from "../../../tools/place.js";
import { PROGRAMS } from "../programs.js";
import { Observation, quoted } from "./observe.js";
import { SIDES } from "./sides.js";

const LIMIT_MS = 60_000;

// The AI SDK would print each warning. The programs read them from the results.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
const [name, key] = process.argv.slice(2);
const program = PROGRAMS[key];
const other = program.others?.[name];
const first = await attempt(program, program.replies);
const second =
  first.passed || other === undefined
    ? undefined
    : { by: other.by, ...(await attempt(other, other.replies ?? program.replies)) };
process.send({ first, second }, () => process.exit());

/** One run in a new place. */
async function attempt({ run }, replies = () => []) {
  const place = await openPlace();
  place.model.add(...replies());
  const side = await SIDES[name].open({ cli: place.cli, cwd: place.cwd, env: place.env });
  const { cwd, model: simulated } = place;
  const asked = () => simulated.calls;
  try {
    const note = await within(run({ ...side, name, place, cwd, simulated, asked }));
    return { passed: true, note };
  } catch (error) {
    if (process.env.BASELINE_VERBOSE) console.error(error);
    return { passed: false, note: error instanceof Observation ? error.message : told(error) };
  } finally {
    await side.close();
    await place.close();
  }
}

async function within(promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Observation("no end within a minute")), LIMIT_MS);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

function told(error) {
  return `${error.name}: ${quoted(error.message)}`;
}
