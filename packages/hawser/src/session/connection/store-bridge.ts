import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { type Environment, HawserError } from "../../base/index.js";
import {
  environmentOf,
  type Options,
  type SessionKey,
  type SessionStore,
} from "../../options/index.js";
import { configFolder, currentFolder, resolveUser, type User } from "../../process/index.js";
import { loadTranscriptFunctions, type MaterializedSession } from "../../transcripts/index.js";
import type { Message, TranscriptMirror } from "../../wire/index.js";

/** Connects a session to the caller's store, which keeps its transcript. */
export interface StoreBridge {
  /** The options of the process: with its own configuration folder if the store had the session. */
  readonly options: Options;
  /** The error with which the store has ended the session, if `onStoreFailure` is `"end"`. */
  readonly failure: HawserError | undefined;
  /** One write of the CLI to its transcript. */
  add(line: TranscriptMirror): void;
  /** Delivers messages in order; a result only when the store has everything that led to it. */
  handOn(isResult: boolean, deliver: () => void): void;
  /** To be called when the CLI has ended. Flushes to the store and removes the files on disk. */
  close(): Promise<void>;
}

/** The connection of the process whose transcript is stored. */
export interface StoreListener {
  /** A message about entries that could not be stored. */
  onMessage(message: Message, size: number): void;
  /** The bridge has a failure now, which ends the session. */
  onStoreFailure(): void;
}

/** A bridge whose store may take its time to load a session. */
export interface StoreOpening {
  /** Undefined without a store. */
  readonly bridge: Promise<StoreBridge | undefined>;
  /** Rejects `bridge`, unless it is there. What the store loads later is removed. */
  giveUp(): void;
}

export function openStoreBridge(options: Options, listener: StoreListener): StoreOpening {
  const { sessionStore } = options;
  if (sessionStore === undefined) return NO_STORE;
  const opening = openBridge(options, sessionStore, listener);
  let giveUp = () => {};
  const bridge = new Promise<StoreBridge>((resolve, reject) => {
    opening.then(resolve, reject);
    giveUp = () => reject(new HawserError("closed"));
  });
  bridge.catch(() => opening.then((unused) => unused.close()).catch(() => {}));
  return { bridge, giveUp };
}

const NO_STORE: StoreOpening = { bridge: Promise.resolve(undefined), giveUp() {} };

async function openBridge(
  options: Options,
  sessionStore: SessionStore,
  listener: StoreListener,
): Promise<StoreBridge> {
  const { sessionStoreFlush, projectKey, resume, loadTimeoutMs, user } = options;
  const onFailure = options.onStoreFailure ?? "report";
  const { materializeSession, StoreMirror } = await loadTranscriptFunctions();
  const owner = user === undefined ? undefined : await resolveUser(user);
  const env = cliEnvironment(options, owner);
  const kept =
    resume === undefined && options.continue !== true
      ? undefined
      : await materializeSession(sessionStore, {
          sessionId: resume,
          projectKey,
          cwd: options.cwd ?? currentFolder(),
          env,
          loadTimeoutMs,
          owner,
        });
  let failure: HawserError | undefined;
  const mirror = new StoreMirror(sessionStore, {
    flush: sessionStoreFlush ?? "batched",
    projectKey,
    projectsDir: kept?.projectsDir ?? join(configFolder(env, options.cwd), "projects"),
    onFailure,
    onError: (error, key) => {
      listener.onMessage(mirrorError(error, key), 0);
      if (onFailure === "report") return;
      failure ??= error;
      listener.onStoreFailure();
    },
  });
  const { handOn, handedOn } = inOrder(() => mirror.flush());
  // Drop `continue`: the latest session means the latest in the store, and the store has none. Keep
  // `resume`: the CLI may know that id itself.
  const { continue: _, ...rest } = options;
  return {
    options: kept === undefined ? rest : resumed(rest, kept),
    get failure() {
      return failure;
    },
    add: ({ filePath, entries }) => mirror.add(filePath, entries),
    handOn,
    close: async () => {
      await handedOn();
      await mirror.close();
      await kept?.remove();
    },
  };
}

/** A message waits only if a result before it does. */
function inOrder(flush: () => Promise<void>): {
  handOn: StoreBridge["handOn"];
  handedOn: () => Promise<void>;
} {
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();
  const handOn: StoreBridge["handOn"] = (isResult, deliver) => {
    if (waiting === 0 && !isResult) {
      deliver();
      return;
    }
    waiting += 1;
    last = last
      .then(() => (isResult ? flush() : undefined))
      .then(() => {
        waiting -= 1;
        deliver();
      });
  };
  return { handOn, handedOn: () => last };
}

function resumed(options: Options, kept: MaterializedSession): Options {
  const { configDir, secureStorageDir, sessionId } = kept;
  const env = { ...options.env, CLAUDE_SECURESTORAGE_CONFIG_DIR: secureStorageDir };
  return { ...options, env, configDir, resume: sessionId };
}

/** The environment by which the CLI will find its home and its configuration. */
function cliEnvironment(options: Options, user: User | undefined): Environment {
  const env = environmentOf(options, process);
  const { configDir } = options;
  return {
    ...env,
    ...(configDir === undefined ? {} : { CLAUDE_CONFIG_DIR: configDir }),
    ...(user?.home === undefined || options.env?.["HOME"] !== undefined ? {} : { HOME: user.home }),
  };
}

function mirrorError({ message }: HawserError, key: SessionKey | undefined): Message {
  return {
    type: "system",
    subtype: "mirror_error",
    error: message,
    key,
    uuid: randomUUID(),
    session_id: key?.sessionId ?? "",
  } as Message;
}
