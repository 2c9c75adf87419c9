import { HawserError } from "hawser";
import { RequestError } from "../errors/request-error.js";
import { excessText, jsonExcess } from "./json-excess.js";
import { jsonMistake } from "./json-mistake.js";

/** 32 MiB, as the Messages API has it. */
export const BODY_LIMIT: number = 32 * 1024 * 1024;

/**
 * The body of a request as text. `onPiece` gets the length of each piece, and can throw to refuse the body. Throws
 * `request_too_large` before the whole body was read: at once if the client has declared its length, otherwise when
 * the limit is passed. Throws `aborted` if the client leaves before the end.
 */
export async function readBody(
  request: Request,
  limit: number,
  onPiece: (bytes: number) => void = () => {},
): Promise<string> {
  const declared = request.headers.get("content-length");
  if (declared !== null && Number(declared) > limit) throw tooLarge(limit);
  if (request.body === null) return "";
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new HawserError("aborted", "The client is gone.", { cause });
    });
    if (done) break;
    size += value.byteLength;
    try {
      if (size > limit) throw tooLarge(limit);
      onPiece(value.byteLength);
    } catch (error) {
      reader.cancel().catch(() => {});
      throw error;
    }
    chunks.push(value);
  }
  return decode(chunks);
}

/** Refuses a body that is not JSON by its type. A browser can send other types without asking first. */
export function checkContentType(headers: Headers): void {
  const type = headers.get("content-type");
  if (type !== null && /^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type)) return;
  throw new RequestError(
    "unsupported_media_type",
    "The body must be JSON. Send the header `content-type: application/json`.",
  );
}

/** Parses a body. The message has the position of the mistake, but no part of the body. */
export function parseJson(text: string): unknown {
  const excess = jsonExcess(text);
  if (excess !== undefined) {
    const message = `The body ${excessText(excess)}. Send less in one request.`;
    throw new RequestError("invalid_request", message);
  }
  try {
    return JSON.parse(text);
  } catch {
    if (text.trim() === "") throw malformed("The body is empty.");
    throw malformed(`The body is not JSON: ${placeIn(text)}.`);
  }
}

function placeIn(text: string): string {
  const position = jsonMistake(text);
  if (position === text.length) return `it ends too early, after ${text.length} characters`;
  const before = text.slice(0, position).split("\n");
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

function decode(chunks: readonly Uint8Array[]): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw malformed("The body is not UTF-8.");
  }
}

function malformed(what: string): RequestError {
  return new RequestError("invalid_request", `${what} Send one JSON object.`);
}

function tooLarge(limit: number): RequestError {
  return new RequestError(
    "request_too_large",
    `The body is larger than the limit of ${limit} bytes. Send less, or raise bodyLimit.`,
  );
}
