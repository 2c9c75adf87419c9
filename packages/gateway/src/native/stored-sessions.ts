import {
  deleteSession,
  type ForkSessionResult,
  forkSession,
  getSessionInfo,
  getSessionMessages,
  listSessions,
  type Options,
  type SDKSessionInfo,
  type SessionMessage,
  type TranscriptPlace,
} from "hawser";
import { RequestError } from "../errors/request-error.js";
import type { NativeAgent } from "./api-sessions.js";
import { maySee, type NativeAccess } from "./native-access.js";
import type { SessionOwners } from "./session-owners.js";

export interface StoredSessionsOptions {
  readonly owners: SessionOwners;
  readonly agents: () => Readonly<Record<string, NativeAgent>>;
  /** Where the transcripts are, beside the folders of the agents and tenants. */
  readonly transcripts: TranscriptPlace | undefined;
}

/** A session on disk, and where it is. */
interface Found {
  readonly info: SDKSessionInfo;
  readonly place: TranscriptPlace;
}

/** A session with a text that was searched for. */
export interface SearchHit {
  readonly session: SDKSessionInfo;
  /** The text around the first place, if it is in a message. */
  readonly excerpt?: string;
  readonly messageUuid?: string;
}

export interface SearchResult {
  readonly hits: readonly SearchHit[];
  /** False if the search ended at its limits before it had read all transcripts. */
  readonly isComplete: boolean;
}

/**
 * The transcripts that a tenant may see: all of a configuration folder that nobody else uses, if it has one, and
 * otherwise those of sessions that this server has opened for it. An admin may see all.
 */
export class StoredSessions {
  readonly #options: StoredSessionsOptions;
  /** The tenants whose searches run. */
  readonly #searching = new Set<string>();

  constructor(options: StoredSessionsOptions) {
    this.#options = options;
  }

  /** The sessions, the newest first. */
  async list(access: NativeAccess, limit: number, offset: number): Promise<SDKSessionInfo[]> {
    const found = await this.#all(access, this.#isFiltered(access) ? 0 : limit + offset);
    return found.slice(offset, offset + limit).map(({ info }) => info);
  }

  /** Undefined if there is no such session, or if it belongs to another tenant. */
  async find(access: NativeAccess, sessionId: string): Promise<Found | undefined> {
    if (!UUID.test(sessionId) || !this.#mayRead(access, sessionId)) return undefined;
    for (const place of this.#places(access)) {
      const info = await getSessionInfo(sessionId, place);
      if (info !== undefined) return { info, place };
    }
    return undefined;
  }

  async messages(
    access: NativeAccess,
    sessionId: string,
  ): Promise<readonly SessionMessage[] | undefined> {
    const found = await this.find(access, sessionId);
    return found && (await getSessionMessages(sessionId, found.place));
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
   * Searches titles and messages, the newest sessions first, within limits of time and bytes. A tenant has one search
   * at a time, because it keeps the program busy.
   */
  async search(access: NativeAccess, query: string, limit: number): Promise<SearchResult> {
    const { name } = access;
    if (this.#searching.has(name)) {
      const message = "Another search of yours still runs. Try again when it has ended.";
      throw new RequestError("rate_limit_exceeded", message, { retryAfterMs: SEARCH_MS });
    }
    this.#searching.add(name);
    try {
      return await this.#search(access, query, limit);
    } finally {
      this.#searching.delete(name);
    }
  }

  async #search(access: NativeAccess, query: string, limit: number): Promise<SearchResult> {
    const wanted = query.toLowerCase();
    const hits: SearchHit[] = [];
    const deadline = performance.now() + SEARCH_MS;
    let bytes = 0;
    for (const { info, place } of await this.#all(access, 0)) {
      if (hits.length >= limit) return { hits, isComplete: false };
      const { summary, firstPrompt = "", customTitle = "", fileSize = 0 } = info;
      if ([summary, firstPrompt, customTitle].some((text) => text.toLowerCase().includes(wanted))) {
        hits.push({ session: info });
        continue;
      }
      bytes += fileSize;
      if (bytes > SEARCH_BYTES || performance.now() > deadline) return { hits, isComplete: false };
      const hit = findIn(await getSessionMessages(info.sessionId, place), wanted);
      if (hit !== undefined) hits.push({ session: info, ...hit });
    }
    return { hits, isComplete: true };
  }

  async #all(access: NativeAccess, limit: number): Promise<readonly Found[]> {
    const found: Found[] = [];
    for (const place of this.#places(access)) {
      const infos = await listSessions({ ...place, limit });
      for (const info of infos) {
        if (this.#mayRead(access, info.sessionId)) found.push({ info, place });
      }
    }
    return found.sort((a, b) => b.info.lastModified - a.info.lastModified);
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
const SEARCH_MS = 2000;
const SEARCH_BYTES = 64 * 2 ** 20;
const EXCERPT = 120;

function hasOwnFolder({ ownsConfigDir, options }: NativeAccess): boolean {
  return ownsConfigDir === true && folderOf(options) !== undefined;
}

/** The configuration folder that the options name. */
function folderOf(options: Options | undefined): string | undefined {
  const { configDir, env } = options ?? {};
  return configDir ?? env?.["CLAUDE_CONFIG_DIR"];
}

/** Whether a message contains the text, which must be in lower case. */
export function excerptOf(message: SessionMessage, wanted: string): string | undefined {
  for (const text of textsOf(message.message)) {
    const at = text.toLowerCase().indexOf(wanted);
    if (at < 0) continue;
    return text.slice(Math.max(at - EXCERPT, 0), at + wanted.length + EXCERPT);
  }
  return undefined;
}

function findIn(
  messages: readonly SessionMessage[],
  wanted: string,
): { readonly excerpt: string; readonly messageUuid: string } | undefined {
  for (const message of messages) {
    const excerpt = excerptOf(message, wanted);
    if (excerpt !== undefined) return { excerpt, messageUuid: message.uuid };
  }
  return undefined;
}

function* textsOf(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null) {
    for (const item of Object.values(value)) yield* textsOf(item);
  }
}
