import type { Server } from "node:http";
import type { GatewayFleet, NativeApiOptions } from "@hawser/gateway";
import { type Approvals, HawserError, type Pool, type Session } from "hawser";
import { type Announcement, announce } from "./announce/announce.js";
import { PageFiles } from "./files/page-files.js";
import { closeServer, httpServer, listenOnLoopback } from "./http/listen.js";
import { Tokens } from "./http/tokens.js";
import { InspectorApp } from "./inspector-app.js";
import { ApiSource } from "./sources/api-source.js";
import { programInfo } from "./sources/program-info.js";
import { singleSource } from "./sources/source.js";

/** The options of `inspector()`. All of them are optional. */
export interface InspectorOptions
  extends Pick<NativeApiOptions, "agents" | "models" | "transcripts" | "secrets" | "log"> {
  /**
   * What is shown: everything in this program, a pool and everything in this program, or a fleet.
   * @default "process"
   */
  readonly source?: "process" | Pool | GatewayFleet | undefined;
  /** The questions that can be answered: what `createApprovals()` returned. */
  readonly approvals?: Approvals | readonly Approvals[] | undefined;
  /** The token that may do everything. @default a random one */
  readonly token?: string | undefined;
  /** The token that may only look. @default a random one */
  readonly readToken?: string | undefined;
  /** Names of this server in the header `Host`, beside those of loopback. */
  readonly hosts?: readonly string[] | undefined;
  /**
   * Whether `hawser inspect` of the same user shows this program, by a unix socket that only this user can open.
   * @default true, and false for a fleet
   */
  readonly announce?: boolean | undefined;
  /** The name of the program on the page. @default the name of its main file */
  readonly name?: string | undefined;
}

/** The page of this program, as a handler that any server can call. */
export interface Inspector {
  /** Answers requests at the root of a server or below any path that ends with a slash. */
  fetch(request: Request): Promise<Response>;
  /** The token that may do everything. */
  readonly token: string;
  /** The token that may only look. */
  readonly readToken: string;
  /**
   * Serves the page on 127.0.0.1, without a server of your own, until `close()`. Resolves to its address, with the
   * token. The page does not keep the program running.
   */
  listen(options?: { readonly port?: number }): Promise<string>;
  /** The address of the page with the token, for a server at this base address. */
  urlAt(base: string): string;
  /** Lets the page control a session that it would not control otherwise. Returns a function that takes it back. */
  register(session: Session): () => void;
  /** Stops watching, ends the streams of open pages, and removes the unix socket. */
  close(): Promise<void>;
}

/**
 * Creates a page that shows the sessions, questions, transcripts, pools and failures of this program, and that
 * answers and stops. It watches the program from now on. The tokens decide who may use it.
 *
 * @example
 * ```ts
 * import { inspector } from "@hawser/inspector";
 * import { createApprovals } from "hawser";
 *
 * const approvals = createApprovals();
 * const page = inspector({ approvals });
 * console.log(await page.listen());
 * ```
 */
export function inspector(options: InspectorOptions = {}): Inspector {
  return createInspector(options, new PageFiles());
}

/** With the files of another page, for tests. */
export function createInspector(options: InspectorOptions, files: PageFiles): Inspector {
  const tokens = new Tokens(options.token, options.readToken);
  const source = sourceOf({ ...options, secrets: [...(options.secrets ?? []), ...tokens.secrets] });
  const app = new InspectorApp({
    files,
    authenticator: tokens,
    sources: singleSource(source),
    hosts: options.hosts ?? [],
  });
  const isAnnounced = options.announce ?? (source.info.kind === "process" && canAnnounce());
  const announced = isAnnounced ? announce(source) : undefined;
  const urlAt = (base: string) => `${base.replace(/\/+$/, "")}/#token=${tokens.control}`;
  const server = httpServer((request) => app.fetch(request));
  let closed: Promise<void> | undefined;
  return {
    fetch: (request) => app.fetch(request),
    token: tokens.control,
    readToken: tokens.read,
    urlAt,
    listen: async ({ port = 0 } = {}) => urlAt(await listenOnLoopback(server, port)),
    register: (session) => source.api.register(session),
    close() {
      closed ??= close(app, server, source, announced);
      return closed;
    },
  };
}

/** On Windows, files have no owner that a program could check. */
function canAnnounce(): boolean {
  return process.platform !== "win32";
}

async function close(
  app: InspectorApp,
  server: Server,
  { api }: ApiSource,
  announced: Announcement | undefined,
): Promise<void> {
  app.close();
  await api.close();
  await announced?.close();
  if (server.listening) await closeServer(server);
}

function sourceOf(options: InspectorOptions): ApiSource {
  const {
    source = "process",
    name,
    approvals,
    agents,
    models,
    transcripts,
    secrets,
    log,
  } = options;
  const shared = { approvals, agents, models, transcripts, secrets, log };
  if (source === "process") return new ApiSource(programInfo("process", name), shared);
  if (isFleet(source)) {
    const info = programInfo("fleet", name ?? "fleet");
    return new ApiSource(info, { ...shared, fleet: source, hasPool: false });
  }
  if (isPool(source)) {
    return new ApiSource(programInfo("process", name), { ...shared, pool: source });
  }
  throw new HawserError("invalid_options", "source is nothing that the inspector can show.", {
    hint: 'Pass "process", a pool of `createPool()`, or a fleet of `openFleet()`.',
    issues: [{ path: "source", message: "must be a pool or a fleet" }],
  });
}

function isFleet(source: object): source is GatewayFleet {
  return "submit" in source && "runs" in source;
}

function isPool(source: object): source is Pool {
  return "stats" in source && "openSession" in source;
}
