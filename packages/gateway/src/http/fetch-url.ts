import { lookup as dnsLookup, type LookupAddress } from "node:dns";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP } from "node:net";
import { promisify } from "node:util";
import { RequestError } from "../errors/request-error.js";
import { isPublicAddress } from "./public-address.js";

/**
 * Fetches an image or a document that a client names by URL. `param` is the path of that parameter, and `client` is
 * aborted when the client is gone.
 */
export type FetchUrl = (
  url: string,
  kind: "image" | "document",
  param: string,
  client?: AbortSignal,
) => Promise<FetchedFile>;

export interface FetchedFile {
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
}

export interface UrlFetcherOptions {
  /** @default 10 MiB */
  readonly maxBytes?: number | undefined;
  /** The time for one URL with all its redirects. @default 15_000 */
  readonly timeoutMs?: number | undefined;
  /** @default 3 */
  readonly maxRedirects?: number | undefined;
  /** Resolves a host name. @default the lookup of the system */
  readonly lookup?: ((host: string) => Promise<readonly LookupAddress[]>) | undefined;
  /** Whether an address may be connected to. @default those of the public internet */
  readonly allows?: ((address: string) => boolean) | undefined;
}

/**
 * Creates a function that fetches URLs for clients. It connects only to public addresses: each host name is
 * resolved once, all its addresses are checked, and the connection uses a checked address. Each redirect is
 * checked in the same way.
 */
export function createUrlFetcher(options: UrlFetcherOptions = {}): FetchUrl {
  const { maxBytes = 10 * 1024 * 1024, timeoutMs = 15_000, maxRedirects = 3 } = options;
  const { lookup = systemLookup, allows = isPublicAddress } = options;
  return async (text, kind, param, client) => {
    const refuse = (why: string): RequestError =>
      new RequestError("invalid_request", `\`${param}\`: ${why}`, { param });
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = client === undefined ? timeout : AbortSignal.any([timeout, client]);
    try {
      let url = parseUrl(text, refuse);
      for (let redirects = 0; ; redirects += 1) {
        const addresses = await checkedAddresses(url, lookupIn(signal, lookup), allows, refuse);
        const response = await get(url, addresses, signal);
        const next = redirectOf(response, url, refuse);
        if (next === undefined) return await readFile(response, kind, maxBytes, refuse);
        response.destroy();
        if (redirects >= maxRedirects) throw refuse("the URL redirects too often.");
        url = next;
      }
    } catch (error) {
      if (error instanceof RequestError) throw error;
      // The error of the network would tell the client about the server's surroundings.
      throw refuse(
        timeout.aborted ? "the URL did not answer in time." : "the URL could not be fetched.",
      );
    }
  };
}

type Refuse = (why: string) => RequestError;

function parseUrl(text: string, refuse: Refuse, base?: URL): URL {
  if (!URL.canParse(text, base?.href)) throw refuse("is not a URL.");
  const url = new URL(text, base);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw refuse("only URLs of http and https are fetched.");
  }
  if (url.username !== "" || url.password !== "") {
    throw refuse("a URL with a user name or a password is not fetched.");
  }
  return url;
}

async function checkedAddresses(
  url: URL,
  lookup: Lookup,
  allows: (address: string) => boolean,
  refuse: Refuse,
): Promise<readonly LookupAddress[]> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const family = isIP(host);
  const addresses = family === 0 ? await lookup(host) : [{ address: host, family }];
  // One private address is enough: which of them is used is not known in advance.
  if (addresses.length === 0 || !addresses.every(({ address }) => allows(address))) {
    throw refuse("the address is not in the public internet.");
  }
  return addresses;
}

const systemLookup: Lookup = (host) => promisify(dnsLookup)(host, { all: true });

type Lookup = (host: string) => Promise<readonly LookupAddress[]>;

/** A lookup that ends with the signal. A name server can be as slow as any other. */
function lookupIn(signal: AbortSignal, lookup: Lookup): Lookup {
  return async (host) => {
    signal.throwIfAborted();
    let stop: () => void = () => {};
    const stopped = new Promise<never>((_, reject) => {
      stop = () => reject(signal.reason);
      signal.addEventListener("abort", stop);
    });
    try {
      return await Promise.race([lookup(host), stopped]);
    } finally {
      signal.removeEventListener("abort", stop);
    }
  };
}

/** Connects to a checked address, whatever the name stands for by now. */
function get(
  url: URL,
  addresses: readonly LookupAddress[],
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const request = url.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      agent: false,
      signal,
      headers: { accept: "*/*", "user-agent": "hawser-gateway" },
      lookup: (_host, { all }, done) => {
        const [first] = addresses;
        if (all === true) done(null, [...addresses]);
        else done(null, first?.address ?? "", first?.family);
      },
    });
    sent.once("response", resolve);
    // Not `once`, because an abort can follow an error, and an error without a listener ends the program.
    sent.on("error", reject);
    // A server that wants to speak another protocol (status 101) leads to no other event.
    sent.on("close", () => reject(new Error("The connection was closed.")));
    sent.end();
  });
}

function redirectOf(response: IncomingMessage, url: URL, refuse: Refuse): URL | undefined {
  const { statusCode = 0, headers } = response;
  if (![301, 302, 303, 307, 308].includes(statusCode)) return undefined;
  return parseUrl(headers.location ?? "", refuse, url);
}

async function readFile(
  response: IncomingMessage,
  kind: "image" | "document",
  maxBytes: number,
  refuse: Refuse,
): Promise<FetchedFile> {
  const { statusCode, headers } = response;
  const mediaType = (headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  try {
    if (statusCode !== 200) throw refuse(`the URL answered with status ${statusCode}.`);
    const types = TYPES[kind];
    if (!types.includes(mediaType)) {
      throw refuse(`the URL holds ${mediaType || "no type"}. Supported are ${types.join(", ")}.`);
    }
    const tooLarge = `what the URL holds is larger than ${maxBytes} bytes.`;
    if (Number(headers["content-length"] ?? 0) > maxBytes) throw refuse(tooLarge);
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw refuse(tooLarge);
      chunks.push(chunk);
    }
    if (bytes === 0) throw refuse("the URL holds nothing.");
    return { mediaType, data: Buffer.concat(chunks).toString("base64") };
  } finally {
    response.destroy();
  }
}

const TYPES: Readonly<Record<"image" | "document", readonly string[]>> = {
  image: ["image/jpeg", "image/png", "image/gif", "image/webp"],
  document: ["application/pdf"],
};
