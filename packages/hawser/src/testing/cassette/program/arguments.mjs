// Compares the arguments with which a host starts the CLI with the recorded ones.
import { basename, isAbsolute } from "node:path";
import { describe, difference, shorten } from "./difference.mjs";

/** Flags whose values are ids that the host invented, or ids of an earlier take. */
const IDS = ["--session-id", "--resume", "--resume-session-at", "--resume-drops-turn"];

/** Flags whose value may be a file that the host wrote, with another path each time. */
const FILES = [
  "--settings",
  "--managed-settings",
  "--mcp-config",
  "--system-prompt-file",
  "--append-system-prompt-file",
  "--debug-file",
];

/** The difference between two lists of arguments: `{ path, message }`. */
export function argumentDifference(recorded, given) {
  const found = difference(comparable(recorded), comparable(given), "argv");
  if (found === undefined) return undefined;
  const before = partsOf(comparable(recorded));
  const now = partsOf(comparable(given));
  const missing = before.filter(({ text }) => !now.some((part) => part.text === text));
  const added = now.filter(({ text }) => !before.some((part) => part.text === text));
  const words = [
    ...missing.map(({ text }) => `${shorten(text)} is missing`),
    ...added.map(({ text }) => `${shorten(text)} is new`),
  ];
  // Otherwise they differ only in their order.
  const message = words.length > 0 ? words.join(", ") : describe(found);
  return { path: [...missing, ...added][0]?.flag ?? found.path, message };
}

/** Each flag with its value. */
function partsOf(argv) {
  return argv.flatMap((argument, index) => {
    const isFlag = argument.startsWith("-");
    if (!isFlag && argv[index - 1]?.match(/^--[^=]+$/)) return [];
    const next = argv[index + 1];
    const hasValue = /^--[^=]+$/.test(argument) && next !== undefined && !next.startsWith("-");
    const text = hasValue ? `${argument}=${next}` : argument;
    return { flag: isFlag ? argument.split("=", 1)[0] : "argv", text };
  });
}

/** The ids that both lists have for the same flag. */
export function sameIds(recorded, given, ids) {
  for (const flag of IDS) ids.learn(flagValue(recorded, flag), flagValue(given, flag));
}

export function flagValue(argv, flag) {
  const joined = argv.find((argument) => argument.startsWith(`${flag}=`));
  if (joined !== undefined) return joined.slice(flag.length + 1);
  const index = argv.indexOf(flag);
  return index === -1 ? undefined : argv[index + 1];
}

/** Whether a start begins a conversation, unlike for example `auth status`. */
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
