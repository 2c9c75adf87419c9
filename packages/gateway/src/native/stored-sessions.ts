import {
  deleteSession,
  type ForkSessionResult,
  forkSession,
  getSessionInfo,
  getSessionMessages,
  getSubagentMessages,
  listSessions,
  listSubagents,
  type Options,
  type SDKSessionInfo,
  type SessionMessage,
  type TranscriptPlace,
} from "hawser";
import { RequestError } from "../errors/request-error.js";
import type { NativeAgent } from "./api-sessions.js";
import { maySee, type NativeAccess } from "./native-access.js";
import type { SessionOwners } from "./session-owners.js";
import {
  type SearchOptions,
  type SearchResult,
  type StoredSession,
  searchTranscripts,
} from "./transcript-search.js";

export interface StoredSessionsOptions {
  readonly owners: SessionOwners;
  readonly agents: () => Readonly<Record<string, NativeAgent>>;
  /** Where the transcripts are, beside the folders of the agents and tenants. */
  readonly transcripts: TranscriptPlace | undefined;
  readonly mask: (text: string) => string;
}

/** Which of the sessions, the newest first. */
export interface SessionPage {
  readonly limit: number;
  /** How many are left out at the start. */
  readonly offset: number;
  /** `next` of the page before, in place of `offset`. */
  readonly before: string | undefined;
}

/** A message of a transcript. */
export interface StoredMessage extends SessionMessage {
  /** The sub-agent whose message it is. */
  readonly agentId?: string;
  /** Whether the conversation does not have it any more, because of a compaction or a rewind. */
  readonly isLeftOut?: true;
}

/**
 * The transcripts that a tenant may see: all of a configuration folder that nobody else uses, if it has one, and
 * otherwise those of sessions that this server has opened for it. An admin may see all.
 */
export class StoredSessions {
  readonly #options: StoredSessionsOptions;
  /** The searches that run, by tenant. */
  readonly #searches = new Map<string, RunningSearch>();
  /** The transcript that was read last. */
  readonly #parsed = new Map<string, Promise<readonly StoredMessage[]>>();

  constructor(options: StoredSessionsOptions) {
    this.#options = options;
  }

  /** The sessions, the newest first. `next` names the page that follows, also if newer sessions appear meanwhile. */
  async list(
    access: NativeAccess,
    { limit, offset, before }: SessionPage,
  ): Promise<{ readonly infos: readonly SDKSessionInfo[]; readonly next: string | undefined }> {
    const cursor = before === undefined ? undefined : readCursor(before);
    const skipped = cursor?.skipped ?? offset;
    const wanted = skipped + limit + 1 + (cursor === undefined ? 0 : NEWER);
    let found = await this.#all(access, this.#isFiltered(access) ? 0 : wanted);
    const rest = () =>
      cursor === undefined
        ? found.slice(offset)
        : found.filter(({ info }) => isAfter(cursor, info));
    // More sessions have appeared than expected, so that the page may begin later.
    if (cursor !== undefined && rest().length <= limit) found = await this.#all(access, 0);
    const page = rest().slice(0, limit + 1);
    const infos = page.slice(0, limit).map(({ info }) => info);
    const last = infos.at(-1);
    const hasMore = page.length > limit && last !== undefined;
    return { infos, next: hasMore ? cursorOf(last, skipped + infos.length) : undefined };
  }

  /** Undefined if there is no such session, or if it belongs to another tenant. */
  async find(access: NativeAccess, sessionId: string): Promise<StoredSession | undefined> {
    if (!UUID.test(sessionId) || !this.#mayRead(access, sessionId)) return undefined;
    for (const place of this.#places(access)) {
      const info = await getSessionInfo(sessionId, place);
      if (info !== undefined) return { info, place };
    }
    return undefined;
  }

  /** The messages of the conversation. `isWhole`: all of the transcript, and then those of the sub-agents. */
  async messages(
    access: NativeAccess,
    sessionId: string,
    isWhole: boolean,
  ): Promise<readonly StoredMessage[] | undefined> {
    const found = await this.find(access, sessionId);
    return found && this.#read(found, isWhole);
  }

  async fork(access: NativeAccess, sessionId: string): Promise<ForkSessionResult | undefined> {
    const found = await this.find(access, sessionId);
    if (found === undefined) return undefined;
    const fork = await forkSession(sessionId, found.place);
    this.#options.owners.onSessionId(fork.sessionId, this.#options.owners.tenantOfId(sessionId));
    return fork;
  }

  async delete(access: NativeAccess, sessionId: string): Promise<boolean> {
    const found = await this.find(access, sessionId);
    if (found === undefined) return false;
    await deleteSession(sessionId, found.place);
    return true;
  }

  /**
   * Searches titles and messages, the newest sessions first. A tenant has one search at a time, because it keeps the
   * program busy: a new one ends the one before, which then has what it has found.
   */
  async search(access: NativeAccess, options: Omit<SearchOptions, "mask">): Promise<SearchResult> {
    const { name } = access;
    const before = this.#searches.get(name);
    before?.stop.abort();
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, options.signal]);
    const run = async (): Promise<SearchResult> => {
      await before?.ended;
      const sessions = signal.aborted ? [] : await this.#all(access, 0);
      return searchTranscripts(sessions, { ...options, mask: this.#options.mask, signal });
    };
    const result = run();
    const search = { stop, ended: result.catch(() => {}) };
    this.#searches.set(name, search);
    try {
      return await result;
    } finally {
      if (this.#searches.get(name) === search) this.#searches.delete(name);
    }
  }

  /** A client that pages through a transcript would otherwise have it read and parsed for each page. */
  async #read(found: StoredSession, isWhole: boolean): Promise<readonly StoredMessage[]> {
    const { sessionId, fileSize, lastModified } = found.info;
    const key = JSON.stringify([sessionId, found.place, fileSize, lastModified, isWhole]);
    const kept = this.#parsed.get(key);
    if (kept !== undefined) return kept;
    const messages = isWhole ? wholeTranscript(found) : getSessionMessages(sessionId, found.place);
    if ((fileSize ?? KEPT_BYTES) < KEPT_BYTES) this.#keep(key, messages);
    return messages;
  }

  #keep(key: string, messages: Promise<readonly StoredMessage[]>): void {
    this.#parsed.clear();
    this.#parsed.set(key, messages);
    const forget = () => void this.#parsed.delete(key);
    setTimeout(forget, KEPT_MS).unref();
    messages.catch(forget);
  }

  async #all(access: NativeAccess, limit: number): Promise<readonly StoredSession[]> {
    const found: StoredSession[] = [];
    for (const place of this.#places(access)) {
      const infos = await listSessions({ ...place, limit });
      for (const info of infos) {
        if (this.#mayRead(access, info.sessionId)) found.push({ info, place });
      }
    }
    return found.sort((a, b) => (isAfter(a.info, b.info) ? -1 : 1));
  }

  #isFiltered(access: NativeAccess): boolean {
    return !access.isAdmin && !hasOwnFolder(access);
  }

  #mayRead(access: NativeAccess, sessionId: string): boolean {
    if (!this.#isFiltered(access)) return true;
    return maySee(access, this.#options.owners.tenantOfId(sessionId));
  }

  #places(access: NativeAccess): readonly TranscriptPlace[] {
    const own = folderOf(access.options);
    if (own !== undefined && hasOwnFolder(access) && !access.isAdmin) return [{ configDir: own }];
    const { transcripts = {}, agents } = this.#options;
    const folders = new Set([own, ...Object.values(agents()).map(folderOf)]);
    folders.delete(undefined);
    folders.delete(transcripts.configDir);
    return [transcripts, ...[...folders].map((configDir) => ({ configDir }))];
  }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const KEPT_BYTES = 64 * 2 ** 20;
const KEPT_MS = 30_000;

function hasOwnFolder({ ownsConfigDir, options }: NativeAccess): boolean {
  return ownsConfigDir === true && folderOf(options) !== undefined;
}

/** The configuration folder that the options name. */
function folderOf(options: Options | undefined): string | undefined {
  const { configDir, env } = options ?? {};
  return configDir ?? env?.["CLAUDE_CONFIG_DIR"];
}

/** A search, and how it is ended. */
interface RunningSearch {
  readonly stop: AbortController;
  readonly ended: Promise<unknown>;
}

/** Where a page of sessions ended. */
interface Cursor extends Pick<SDKSessionInfo, "lastModified" | "sessionId"> {
  /** How many sessions came before. */
  readonly skipped: number;
}

/** So many sessions may appear between two pages before all of them are read. */
const NEWER = 100;

function cursorOf({ lastModified, sessionId }: SDKSessionInfo, skipped: number): string {
  return `${skipped}_${lastModified}_${sessionId}`;
}

function readCursor(text: string): Cursor {
  const [, skipped, lastModified, sessionId = ""] =
    /^(\d{1,9})_(\d{1,16}(?:\.\d{1,9})?)_(.*)$/.exec(text) ?? [];
  if (!UUID.test(sessionId)) {
    const message = "before: must be `next` of an earlier answer.";
    throw new RequestError("invalid_request", message, { param: "before" });
  }
  return { skipped: Number(skipped), lastModified: Number(lastModified), sessionId };
}

/** Whether the second session comes after the first one in the list. */
function isAfter(
  first: Pick<SDKSessionInfo, "lastModified" | "sessionId">,
  second: Pick<SDKSessionInfo, "lastModified" | "sessionId">,
): boolean {
  if (second.lastModified !== first.lastModified) return second.lastModified < first.lastModified;
  return second.sessionId < first.sessionId;
}

async function wholeTranscript({ info, place }: StoredSession): Promise<readonly StoredMessage[]> {
  const { sessionId } = info;
  const conversation = await getSessionMessages(sessionId, place);
  const known = new Set(conversation.map(({ uuid }) => uuid));
  const all = await getSessionMessages(sessionId, { ...place, includeHistory: true });
  const messages: StoredMessage[] = all.map((message) =>
    known.has(message.uuid) ? message : { ...message, isLeftOut: true },
  );
  for (const agentId of await listSubagents(sessionId, place)) {
    for (const message of await getSubagentMessages(sessionId, agentId, place)) {
      messages.push({ ...message, agentId });
    }
  }
  return messages;
}
