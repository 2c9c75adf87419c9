import { join } from "node:path";
import type { SessionKey, SessionStore, SessionStoreEntry } from "../../options/index.js";
import { readEntries } from "../files/entry.js";
import { checkSessionId, requireTranscript } from "../files/find-transcript.js";
import { projectKeyOf } from "../files/project-paths.js";
import { agentMetadata, transcriptsBelow } from "../messages/subagents.js";
import { callStore } from "../storage-error.js";
import type { ImportSessionToStoreOptions } from "../types.js";

export async function importSessionToStore(
  sessionId: string,
  store: SessionStore,
  options: ImportSessionToStoreOptions = {},
): Promise<void> {
  checkSessionId(sessionId);
  const file = await requireTranscript(sessionId, options);
  const key = { projectKey: await projectKeyOf(options.dir), sessionId };
  const { batchSize = 0, includeSubagents = true } = options;
  const size = batchSize >= 1 ? Math.floor(batchSize) : DEFAULT_BATCH;
  await copy(file.path, key, store, size);
  if (!includeSubagents) return;
  for (const subpath of await transcriptsBelow(file)) {
    await copy(join(file.folder, sessionId, `${subpath}.jsonl`), { ...key, subpath }, store, size);
    const metadata = await agentMetadata(file, subpath);
    if (metadata === undefined) continue;
    const entry = { ...metadata, type: "agent_metadata" };
    await callStore(() => store.append({ ...key, subpath }, [entry]));
  }
}

const DEFAULT_BATCH = 500;

async function copy(
  path: string,
  key: SessionKey,
  store: SessionStore,
  size: number,
): Promise<void> {
  let batch: SessionStoreEntry[] = [];
  for await (const entry of readEntries(path)) {
    batch.push(entry as SessionStoreEntry);
    if (batch.length < size) continue;
    const full = batch;
    batch = [];
    await callStore(() => store.append(key, full));
  }
  if (batch.length > 0) await callStore(() => store.append(key, batch));
}
