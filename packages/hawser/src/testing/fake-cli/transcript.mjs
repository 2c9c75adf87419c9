// The transcript of the conversation, in the CLI's folder. Only if the scenario has `sessions`.
import { randomUUID } from "node:crypto";
import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { argv, asksVersion, scenario } from "./scenario.mjs";

const keeps = scenario.sessions === true && !argv.includes("--no-session-persistence");
const folder = join(
  process.env.CLAUDE_CONFIG_DIR ?? join(homedir(), ".claude"),
  "projects",
  // The CLI replaces the end of a longer name by a hash, on which no reader relies.
  process
    .cwd()
    .replace(/[^a-zA-Z0-9]/g, "-")
    .replace(/^(.{200}).+$/, "$1-0"),
);
const forks = argv.includes("--fork-session");
const given = flag("session-id");

/** The resumed session, with its messages. */
const earlier = asksVersion ? undefined : readEarlier();

/** The session id at the start. */
export const firstSession = (forks ? undefined : earlier?.id) ?? given ?? randomUUID();

/** The earlier messages for the model. */
export const earlierMessages = messagesOf(earlier?.entries ?? []);

/** The last entry of each session. */
const last = new Map();

if (keeps && earlier !== undefined) {
  if (forks) for (const { type, message } of earlier.entries) append(firstSession, type, message);
  else last.set(firstSession, earlier.entries.at(-1)?.uuid);
}

/** Writes a message of the conversation to the transcript. */
export function append(sessionId, type, message, uuid = randomUUID()) {
  if (!keeps) return;
  const entry = {
    parentUuid: last.get(sessionId) ?? null,
    isSidechain: false,
    userType: "external",
    cwd: process.cwd(),
    sessionId,
    version: "stand-in",
    type,
    message,
    uuid,
    timestamp: new Date().toISOString(),
  };
  last.set(sessionId, uuid);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  appendFileSync(fileOf(sessionId), `${JSON.stringify(entry)}\n`, { mode: 0o600 });
}

function readEarlier() {
  if (!keeps) return undefined;
  const id = flag("resume") ?? (argv.includes("--continue") ? latest() : undefined);
  if (id === undefined) return undefined;
  try {
    const lines = readFileSync(fileOf(id), "utf8").trimEnd().split("\n");
    const entries = lines.map((line) => JSON.parse(line)).filter(({ message }) => message);
    const end = entries.findIndex(({ uuid }) => uuid === flag("resume-session-at"));
    return { id, entries: end === -1 ? entries : entries.slice(0, end + 1) };
  } catch {
    process.stderr.write(`No conversation found with session ID: ${id}\n`);
    return process.exit(1);
  }
}

function latest() {
  try {
    const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
    const times = files.map((name) => ({ name, ms: statSync(join(folder, name)).mtimeMs }));
    const newest = times.sort((a, b) => a.ms - b.ms).at(-1)?.name;
    return newest && basename(newest, ".jsonl");
  } catch {
    return undefined; // There is no transcript for this folder.
  }
}

/** Joins the entries of an answer, one for each block, to one message. */
function messagesOf(entries) {
  /** @type {{ id?: string, role: string, content: any }[]} */
  const messages = [];
  for (const { message } of entries) {
    const { id, role, content } = message;
    const before = messages.at(-1);
    if (id !== undefined && before !== undefined && before.id === id)
      before.content.push(...content);
    else messages.push({ id, role, content: Array.isArray(content) ? [...content] : content });
  }
  return messages.map(({ role, content }) => ({ role, content }));
}

function fileOf(id) {
  return join(folder, `${id}.jsonl`);
}

function flag(name) {
  const place = argv.findIndex((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`));
  if (place === -1) return undefined;
  const [, value] = /^--[\w-]+=(.*)$/s.exec(argv[place]) ?? [];
  return value ?? argv[place + 1];
}
