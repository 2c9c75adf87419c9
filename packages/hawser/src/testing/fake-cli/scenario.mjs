// The scenario of this process, and its record.
import { appendFileSync, closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
/** The file beside a copy that fakeCli() made. The original program has none. */
const ownFile = here("./scenario.json");
const isMade = existsSync(ownFile);

export const scenario = await read(isMade ? ownFile : process.env.HAWSER_FAKE_SCENARIO);

export const argv = process.argv.slice(2);
export const asksVersion = argv.length === 1 && (argv[0] === "--version" || argv[0] === "-v");
export const version = scenario.version ?? "2.1.325 (Claude Code)";

const all = scenario.steps ?? [];
const counted = all.some((step) => step.process !== undefined) && !asksVersion;
const number = counted ? count() : undefined;
const steps = all
  .map((step, place) => ({ ...step, place, left: step.times ?? 1 }))
  .filter((step) => step.process === undefined || step.process === number);

/** The step for an event. Uses up one of its `times`. */
export function takeStep(trigger, subtype) {
  const step = steps.find(
    (step) =>
      step.on === trigger &&
      (step.subtype === undefined || step.subtype === subtype) &&
      step.left !== 0,
  );
  if (step === undefined) return undefined;
  if (step.left !== "always") step.left--;
  record({ event: "step", place: step.place });
  return step;
}

/** Whether the scenario's version behaves like 2.1.325 and later. An unreadable version does. */
export function isNew() {
  const found = /(\d+)\.(\d+)\.(\d+)/.exec(version);
  if (found === null) return true;
  const [major, minor, patch] = found.slice(1).map(Number);
  return (major - 2 || minor - 1 || patch - 325) >= 0;
}

export function record(entry) {
  try {
    const file = scenario.record ?? (isMade ? here("./record.jsonl") : undefined);
    if (file === undefined) return;
    appendFileSync(file, `${JSON.stringify({ pid: process.pid, ...entry })}\n`);
  } catch {
    // As another user, the fake may not write the file. It then leaves no record.
  }
}

/** The file that fakeCli() wrote may name a module with the scenario. */
async function read(file) {
  if (file === undefined) return {};
  if (!file.endsWith(".json")) return (await import(pathToFileURL(file).href)).default;
  const content = JSON.parse(readFileSync(file, "utf8"));
  return content.module === undefined ? content : read(fileURLToPath(content.module));
}

/** Takes the lowest free number. Only one process can create the file with that name. */
function count() {
  // The original program is shared by all users, so it has no folder for counting processes.
  if (!isMade) {
    process.stderr.write("fake cli: `process` in a step needs fakeCli()\n");
    process.exit(70);
  }
  for (let n = 1; ; n++) {
    try {
      closeSync(openSync(here(`./process-${n}`), "wx"));
      return n;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
  }
}
