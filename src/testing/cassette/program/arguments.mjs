// What a host starts the CLI with, beside what it was started with.
import { basename, isAbsolute } from "node:path";
import { difference } from "./difference.mjs";

/** Ids of the host's own, or of an earlier take. */
const IDS = ["--session-id", "--resume", "--resume-session-at", "--resume-drops-turn"];

/** A host may have written what follows to a file of its own, at another place each time. */
const FILES = [
  "--settings",
  "--managed-settings",
  "--mcp-config",
  "--system-prompt-file",
  "--append-system-prompt-file",
  "--debug-file",
];

/** The first difference between two lists of arguments. */
export function argumentDifference(recorded, given) {
  return difference(comparable(recorded), comparable(given), "argv");
}

/** Ids that both have under the same flag. */
export function sameIds(recorded, given, ids) {
  for (const flag of IDS) ids.learn(flagValue(recorded, flag), flagValue(given, flag));
}

export function flagValue(argv, flag) {
  const joined = argv.find((argument) => argument.startsWith(`${flag}=`));
  if (joined !== undefined) return joined.slice(flag.length + 1);
  const index = argv.indexOf(flag);
  return index === -1 ? undefined : argv[index + 1];
}

/** Whether a start is a conversation, and not a question such as `auth status`. */
export function isConversation(argv) {
  return flagValue(argv, "--input-format") === "stream-json";
}

function comparable(argv) {
  return argv.map((argument, index) => {
    const [, flag, value] = /^(--[\w-]+)=(.*)$/s.exec(argument) ?? [];
    if (flag !== undefined) return `${flag}=${comparableValue(flag, value)}`;
    return comparableValue(argv[index - 1], argument);
  });
}

function comparableValue(flag, value) {
  if (IDS.includes(flag)) return "<id>";
  if (FILES.includes(flag) && (isAbsolute(value) || value.startsWith("<hawser:"))) {
    return `<file ${basename(value)}>`;
  }
  return value;
}
