import { hostname } from "node:os";
import type { GatewayFleet } from "@hawser/gateway";
import { createApprovals } from "hawser";
import { AnnouncedPrograms } from "../announce/announced-programs.js";
import { runtimeFolder } from "../announce/runtime-folder.js";
import { PageFiles } from "../files/page-files.js";
import { closeServer, httpServer, listenOnLoopback } from "../http/listen.js";
import { problemResponse } from "../http/problem-response.js";
import { withSecurityHeaders } from "../http/security-headers.js";
import { newToken, type Rights } from "../http/tokens.js";
import { InspectorApp } from "../inspector-app.js";
import { Replays } from "../replays.js";
import { ApiSource } from "../sources/api-source.js";
import { joinedSources } from "../sources/joined-sources.js";
import { programInfo } from "../sources/program-info.js";
import { singleSource } from "../sources/source.js";
import { keptSecret, tokenFile, tokensOfPort } from "./token-file.js";

/** What `hawser inspect` shows, and where. */
export interface InspectOptions {
  /** The port on 127.0.0.1; 0 for a free one. */
  readonly port: number;
  /** The configuration folder of the CLI, with its transcripts. @default that of this user */
  readonly configDir?: string | undefined;
  /** Cassettes and transcripts to play. */
  readonly files: readonly string[];
  /** A fleet to show. It is closed with the server. */
  readonly fleet?: (GatewayFleet & { close(): Promise<void> }) | undefined;
  /** Whether the tokens of earlier starts are void. */
  readonly isNewToken?: boolean | undefined;
  /** @default process.env */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** The files of the page, for tests. */
  readonly page?: PageFiles | undefined;
}

/** A server that listens. */
export interface RunningInspect {
  readonly port: number;
  /** The address of the page, with a token that has these rights. */
  url(rights: Rights): string;
  /** An address of the page that works once. `onLoad` is called when a browser has loaded the page from it. */
  urlOnce(rights: Rights, onLoad: () => void): string;
  close(): Promise<void>;
}

/**
 * Serves the page for this machine: its transcripts, and every program of this user that called `inspector()`.
 */
export async function startInspect(options: InspectOptions): Promise<RunningInspect> {
  const env = options.env ?? process.env;
  const programs = new AnnouncedPrograms(runtimeFolder(env));
  const once = new Map<string, () => void>();
  let app: InspectorApp | undefined;
  const server = httpServer(async (request) => loadedOnce(request, once) ?? answer(request));
  const answer = (request: Request) =>
    app?.fetch(request) ?? problemResponse(502, "closed", "The inspector starts or ends.");
  let own: readonly ApiSource[] = [];
  const close = async () => {
    app?.close();
    programs.close();
    await Promise.all(own.map(({ api }) => api.close()));
    if (server.listening) await closeServer(server);
    await options.fleet?.close();
  };
  try {
    const secret = await keptSecret(tokenFile(env), options.isNewToken);
    await programs.open();
    const base = await listenOnLoopback(server, options.port);
    const port = Number(new URL(base).port);
    const tokens = tokensOfPort(secret, port);
    own = ownSources(options, [...tokens.secrets, secret]);
    const mask = own[0]?.api.mask ?? ((text: string) => text);
    const replays = await Replays.open(options.files, mask);
    app = new InspectorApp({
      files: options.page ?? new PageFiles(),
      authenticator: tokens,
      sources: joinedSources(...own.map(singleSource), programs),
      hosts: [],
      replays,
    });
    // The page is all that the command does.
    server.ref();
    return {
      port,
      url: (rights) => `${base}/#token=${tokens[rights]}`,
      urlOnce(rights, onLoad) {
        const code = newToken();
        once.set(code, onLoad);
        return `${base}/opened/${code}#token=${tokens[rights]}`;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Leads a browser on to the page, which keeps the fragment of the address, and tells that it was here. */
function loadedOnce({ url, method }: Request, once: Map<string, () => void>): Response | undefined {
  const code = /^\/opened\/([\w-]+)$/.exec(new URL(url).pathname)?.[1] ?? "";
  const onLoad = method === "GET" ? once.get(code) : undefined;
  if (onLoad === undefined) return undefined;
  once.delete(code);
  onLoad();
  return withSecurityHeaders(new Response(null, { status: 303, headers: { location: "/" } }));
}

/** The token is a secret: a tool of an agent may have read it. */
function ownSources(
  { configDir, fleet }: InspectOptions,
  secrets: readonly string[],
): readonly ApiSource[] {
  const place = configDir === undefined ? {} : { configDir };
  const machine = new ApiSource(
    { ...programInfo("machine", hostname()), id: "machine" },
    {
      approvals: createApprovals(),
      transcripts: place,
      secrets,
      agents: { claude: { ...place, description: "Claude Code on this machine" } },
    },
  );
  if (fleet === undefined) return [machine];
  const info = { ...programInfo("fleet", "fleet"), id: "fleet", isSelf: false };
  // The sessions of this program are those of the machine, not of the fleet.
  return [machine, new ApiSource(info, { fleet, hasPool: false, watchesProgram: false, secrets })];
}
