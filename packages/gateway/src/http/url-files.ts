import { HawserError } from "hawser";
import { RequestError } from "../errors/request-error.js";
import type { FetchUrl } from "./fetch-url.js";

/** What the URLs of one request may hold together. */
export interface FetchLimits {
  readonly maxFiles: number;
  /** In characters of base64. */
  readonly maxLength: number;
  /** The time for all URLs together. */
  readonly timeoutMs: number;
}

/** As many images as a request of the Messages API may have, and as much as a body may hold. */
const LIMITS: FetchLimits = { maxFiles: 100, maxLength: 32 * 1024 * 1024, timeoutMs: 60_000 };

/** The source of an image or a document. It is empty until the file was fetched. */
export interface FileSource {
  readonly type: "base64";
  media_type: string;
  data: string;
}

/**
 * The files that one request names by URL. The translation of a request only names them. They are fetched after the
 * request was admitted, so that a refused request makes the server connect to nothing. A small body can name many
 * thousand URLs, so their number, their time and all their contents together are limited, besides each file.
 */
export class UrlFiles {
  readonly #fetchUrl: FetchUrl;
  readonly #client: AbortSignal;
  readonly #limits: FetchLimits;
  readonly #named: NamedFile[] = [];

  constructor(fetchUrl: FetchUrl, client: AbortSignal, limits: FetchLimits = LIMITS) {
    this.#fetchUrl = fetchUrl;
    this.#client = client;
    this.#limits = limits;
  }

  /** Names a file. `param` is the path of the parameter that holds the URL. */
  source(url: string, kind: "image" | "document", param: string): FileSource {
    const { maxFiles } = this.#limits;
    if (this.#named.length >= maxFiles) {
      throw refusal(param, `a request may name ${maxFiles} URLs at most.`);
    }
    const source: FileSource = { type: "base64", media_type: "", data: "" };
    this.#named.push({ url, kind, param, source });
    return source;
  }

  /** Fills in all sources. Throws `aborted` when the client is gone, and `invalid_request` for a bad URL. */
  async fetchAll(): Promise<void> {
    if (this.#named.length === 0) return;
    const { maxLength, timeoutMs } = this.#limits;
    const late = AbortSignal.timeout(timeoutMs);
    const stop = AbortSignal.any([this.#client, late]);
    let length = 0;
    for (const { url, kind, param, source } of this.#named) {
      try {
        this.#client.throwIfAborted();
        const { mediaType, data } = await this.#fetchUrl(url, kind, param, stop);
        Object.assign(source, { media_type: mediaType, data });
      } catch (error) {
        if (this.#client.aborted) throw new HawserError("aborted", "The client is gone.");
        if (late.aborted) throw refusal(param, "the URLs did not answer in time.");
        throw error;
      }
      length += source.data.length;
      if (length > maxLength)
        throw refusal(param, "what the URLs of the request hold is too large.");
    }
  }

  /** The contents of a URL as a `data:` URL; undefined if it was not fetched. */
  dataUrl(url: string): string | undefined {
    const file = this.#named.find((named) => named.url === url && named.source.data !== "");
    return file && `data:${file.source.media_type};base64,${file.source.data}`;
  }
}

interface NamedFile {
  readonly url: string;
  readonly kind: "image" | "document";
  readonly param: string;
  readonly source: FileSource;
}

function refusal(param: string, why: string): RequestError {
  return new RequestError("invalid_request", `\`${param}\`: ${why}`, { param });
}
