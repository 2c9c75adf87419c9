import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { HawserError } from "../../base/index.js";
import type { SessionStore } from "../../options/index.js";
import { type Entry, parseEntry, readEntries } from "../files/entry.js";
import {
  findTranscript,
  isSessionId,
  readFolder,
  type TranscriptFile,
} from "../files/find-transcript.js";
import { projectKeyOf } from "../files/project-paths.js";
import { slicePage } from "../list/page.js";
import { ifAbsent } from "../storage-error.js";
import type { GetSubagentMessagesOptions, ListSubagentsOptions, SessionMessage } from "../types.js";
import { findSubagentConversation } from "./conversation.js";
import { messageOf, type Parent } from "./session-messages.js";

export async function listSubagents(
  sessionId: string,
  options: ListSubagentsOptions = {},
): Promise<string[]> {
  if (!isSessionId(sessionId)) return [];
  const { sessionStore, dir } = options;
  if (sessionStore === undefined) {
    const file = await findTranscript(sessionId, options);
    const below = file === undefined ? [] : await transcriptsBelow(file);
    return unique(below.map(agentIdOf));
  }
  if (sessionStore.listSubkeys === undefined) {
    throw new HawserError("invalid_options", "The session store has no listSubkeys().", {
      hint: "Add a listSubkeys() method to the store; without it, sub-agents cannot be found.",
    });
  }
  const key = { projectKey: await projectKeyOf(dir), sessionId };
  return unique((await sessionStore.listSubkeys(key)).map(agentIdOf));
}

export async function getSubagentMessages(
  sessionId: string,
  agentId: string,
  options: GetSubagentMessagesOptions = {},
): Promise<SessionMessage[]> {
  if (!isSessionId(sessionId) || agentId === "") return [];
  const { sessionStore, dir } = options;
  const found =
    sessionStore === undefined
      ? await fromFile(await findTranscript(sessionId, options), agentId)
      : await fromStore(sessionStore, await projectKeyOf(dir), sessionId, agentId);
  if (found === undefined) return [];
  const shown = slicePage(await findSubagentConversation(found.entries), options);
  const parent = parentOf(found.metadata);
  return shown.map((entry) => messageOf(entry, parent));
}

/** The transcripts of the sub-agents of a session, as paths in its folder without `.jsonl`. */
export async function transcriptsBelow(file: TranscriptFile): Promise<string[]> {
  const root = join(file.folder, file.sessionId);
  const found: string[] = [];
  const look = async (at: string): Promise<void> => {
    for (const each of await readFolder(join(root, at))) {
      const path = `${at}/${each.name}`;
      if (each.isDirectory()) await look(path);
      else if (each.name.endsWith(".jsonl")) found.push(path.slice(0, -".jsonl".length));
    }
  };
  await look("subagents");
  return found;
}

/** The file that the CLI writes about a sub-agent beside its transcript. */
export async function agentMetadata(
  file: TranscriptFile,
  subpath: string,
): Promise<Entry | undefined> {
  const path = join(file.folder, file.sessionId, `${subpath}.meta.json`);
  const text = await readFile(path, "utf8").catch(ifAbsent(undefined)); // Older CLIs write none.
  return text === undefined ? undefined : parseEntry(text);
}

interface Found {
  readonly entries: readonly Entry[];
  readonly metadata: Entry | undefined;
}

/** Looks the id up in a list of the files, so that an id never becomes part of a path. */
async function fromFile(
  file: TranscriptFile | undefined,
  agentId: string,
): Promise<Found | undefined> {
  if (file === undefined) return undefined;
  const subpath = (await transcriptsBelow(file)).find((path) => agentIdOf(path) === agentId);
  if (subpath === undefined) return undefined;
  const entries: Entry[] = [];
  const path = join(file.folder, file.sessionId, `${subpath}.jsonl`);
  for await (const entry of readEntries(path)) entries.push(entry);
  return { entries, metadata: await agentMetadata(file, subpath) };
}

async function fromStore(
  store: SessionStore,
  projectKey: string,
  sessionId: string,
  agentId: string,
): Promise<Found | undefined> {
  const subkeys = await store.listSubkeys?.({ projectKey, sessionId });
  const direct = `subagents/agent-${agentId}`;
  const subpath =
    subkeys === undefined ? direct : subkeys.find((key) => agentIdOf(key) === agentId);
  if (subpath === undefined) return undefined;
  const entries = (await store.load({ projectKey, sessionId, subpath })) ?? [];
  return { entries, metadata: entries.findLast(({ type }) => type === "agent_metadata") };
}

function agentIdOf(subpath: string): string | undefined {
  const isBelow = subpath.startsWith("subagents/");
  return isBelow ? /\/agent-([^/]+)$/.exec(subpath)?.[1] : undefined;
}

function parentOf(metadata: Entry | undefined): Parent {
  const { toolUseId, parentAgentId } = metadata ?? {};
  return {
    toolUseId: typeof toolUseId === "string" ? toolUseId : null,
    agentId: typeof parentAgentId === "string" ? parentAgentId : null,
  };
}

function unique(ids: readonly (string | undefined)[]): string[] {
  return [...new Set(ids.filter((id) => id !== undefined))];
}
