import { createHash, createHmac } from "node:crypto";
import { problemResponse } from "./problem-response.js";

/**
 * Answers `GET /hello?key=…&nonce=…`: proves that this server knows a token, before the page sends it. Another user of
 * the machine can take the port of a server that has ended, and would otherwise collect the tokens of open pages.
 *
 * `key` names the token by 32 bits of a hash. So the server proves only a token that the caller knows. A caller
 * without a token gets no proof, which could help to guess one.
 */
export function proveToken(url: URL, hashes: readonly string[]): Response {
  const nonce = url.searchParams.get("nonce") ?? "";
  const key = url.searchParams.get("key") ?? "";
  if (!NONCE.test(nonce) || !KEY_NAME.test(key)) {
    const message =
      "Send `nonce`, 22 to 128 letters and digits, and `key`, the first 8 hexadecimal digits of SHA-256(SHA-256(token)).";
    return problemResponse(400, "invalid_request", message);
  }
  const hash = hashes.find((each) => nameOf(each) === key);
  if (hash === undefined) {
    const message =
      "This server does not know the token. Open the address that the inspector has printed.";
    return problemResponse(401, "invalid_api_key", message);
  }
  return Response.json({ proof: proofOf(hash, nonce) });
}

/** The SHA-256 hash of a token, as hexadecimal digits. A token is random, so the hash needs no salt. */
export function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** HMAC-SHA256 of the nonce, with the hash of the token as its key. */
function proofOf(hash: string, nonce: string): string {
  return createHmac("sha256", Buffer.from(hash, "hex"))
    .update(`hawser-hello:${nonce}`)
    .digest("hex");
}

function nameOf(hash: string): string {
  return createHash("sha256").update(Buffer.from(hash, "hex")).digest("hex").slice(0, 8);
}

const NONCE = /^[\w-]{22,128}$/;
const KEY_NAME = /^[0-9a-f]{8}$/;
