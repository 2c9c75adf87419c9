import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { SessionStoreEntry } from "../../options/index.js";
import { EventLoopPause } from "../event-loop-pause.js";
import { type Entry, readEntries } from "../files/entry.js";
import { checkSessionId, requireTranscript, sessionNotFound } from "../files/find-transcript.js";
import { projectKeyOf } from "../files/project-paths.js";
import { replaceFile } from "../files/replace-file.js";
import type { ForkSessionOptions, ForkSessionResult } from "../types.js";
import { forkEntries } from "./fork-entries.js";

export async function forkSession(
  sessionId: string,
  options: ForkSessionOptions = {},
): Promise<ForkSessionResult> {
  checkSessionId(sessionId);
  const fork = randomUUID();
  const { upToMessageId, title } = options;
  const make = (entries: readonly Entry[]) =>
    forkEntries(entries, { source: sessionId, fork, upToMessageId, title });
  if (options.sessionStore === undefined) await forkFile(sessionId, fork, make, options);
  else await forkStored(sessionId, fork, make, options.sessionStore, options);
  return { sessionId: fork };
}

type Make = (entries: readonly Entry[]) => Promise<SessionStoreEntry[]>;

async function forkFile(
  sessionId: string,
  fork: string,
  make: Make,
  options: ForkSessionOptions,
): Promise<void> {
  const { path, folder } = await requireTranscript(sessionId, options);
  const entries: Entry[] = [];
  for await (const entry of readEntries(path)) entries.push(entry);
  const pause = new EventLoopPause();
  const lines: string[] = [];
  for (const entry of await make(entries)) {
    lines.push(`${JSON.stringify(entry)}\n`);
    if (pause.isDue()) await pause.take();
  }
  await replaceFile(join(folder, `${fork}.jsonl`), lines.join(""));
}

async function forkStored(
  sessionId: string,
  fork: string,
  make: Make,
  store: NonNullable<ForkSessionOptions["sessionStore"]>,
  options: ForkSessionOptions,
): Promise<void> {
  const projectKey = await projectKeyOf(options.dir);
  const entries = await store.load({ projectKey, sessionId });
  if (entries === null) throw sessionNotFound(sessionId, options);
  await store.append({ projectKey, sessionId: fork }, await make(entries));
}
