import { HawserError } from "hawser";
import { RequestError } from "../errors/request-error.js";
import type { FetchUrl } from "./fetch-url.js";

/** What the URLs of one request may hold together. */
export interface FetchLimits {
  readonly maxFiles: number;
  /** In characters of base64. */
  readonly maxLength: number;
}

/** As many images as a request of the Messages API may have, and as much as a body may hold. */
const LIMITS: FetchLimits = { maxFiles: 100, maxLength: 32 * 1024 * 1024 };

/**
 * Fetches the URLs of one request until its client is gone. A small body can name many thousand URLs, so their
 * number and all their contents together are limited, besides each file.
 */
export function limitedFetcher(
  fetchUrl: FetchUrl,
  client: AbortSignal,
  { maxFiles, maxLength }: FetchLimits = LIMITS,
): FetchUrl {
  let files = 0;
  let length = 0;
  return async (url, kind, param) => {
    const refuse = (why: string) =>
      new RequestError("invalid_request", `\`${param}\`: ${why}`, { param });
    files += 1;
    if (files > maxFiles) throw refuse(`a request may name ${maxFiles} URLs at most.`);
    try {
      if (client.aborted) throw gone();
      const file = await fetchUrl(url, kind, param, client);
      length += file.data.length;
      if (length > maxLength) throw refuse("what the URLs of the request hold is too large.");
      return file;
    } catch (error) {
      throw client.aborted ? gone() : error;
    }
  };
}

function gone(): HawserError {
  return new HawserError("aborted", "The client is gone.");
}
