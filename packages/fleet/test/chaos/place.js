// The folder of one chaos run, and what each of its programs finds in there.
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

/** The variable that all processes of a chaos run have, so that those that are left are found. */
export const MARK = "HAWSER_FLEET_CHAOS";

/** @param {string} folder */
export function placeOf(folder) {
  return {
    folder,
    /** What all programs are told. */
    settings: join(folder, "settings.json"),
    /** Each tool call that begins adds its mark and the time. */
    executions: join(folder, "executions.log"),
    /** Every request to the model, with its reply. */
    requests: join(folder, "requests.jsonl"),
    /** Every answer to a question, with what came of it. */
    answers: join(folder, "answers.jsonl"),
    /** The tool: a program outside of every workspace. */
    tool: join(folder, "record"),
    log: (name) => join(folder, `${name}.log`),
    host: (name) => join(folder, name),
  };
}

/** Makes the folder of the tool and of the logs. Other users may pass: Postgres refuses to run as root. */
export function makePlace(folder) {
  const place = placeOf(folder);
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o755);
  for (const file of [place.executions, place.requests, place.answers]) writeFileSync(file, "");
  // One short write to a file that is opened for appending is never torn.
  writeFileSync(
    place.tool,
    `#!/bin/sh\necho "$1 $(date +%s%3N)" >> '${place.executions}'\nsleep "$2"\necho "recorded $1"\n`,
    { mode: 0o755 },
  );
  return place;
}

export function appendLine(file, value) {
  appendFileSync(file, `${JSON.stringify(value)}\n`);
}

export function readLines(file) {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}
