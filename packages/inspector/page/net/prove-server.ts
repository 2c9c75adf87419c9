import { objectOf, textField } from "../base/json.js";
import { ApiError } from "./api-error.js";

/** The server could not prove that it knows the token. It was not sent. */
export class UnprovenServer extends Error {
  constructor() {
    super(
      "This server does not know your token, so the token was not sent. Another program may have taken the port. Start the inspector again, and open the address that it prints.",
    );
    this.name = "UnprovenServer";
  }
}

/**
 * Whether the server can be asked for a proof. Browsers compute no hashes for a page that came over plain HTTP from
 * another machine. Whoever is between could read the token there in any case.
 */
export const canProve: boolean = isSecureContext;

/**
 * Resolves if the server at this address knows the token, which is not sent. Another user of the machine can take the
 * port of a server that has ended. Throws `UnprovenServer` if the proof is wrong, and `ApiError` if there is none.
 */
export async function proveServer(base: URL, token: string): Promise<void> {
  if (!canProve) return;
  const hash = await sha256(new TextEncoder().encode(token));
  const nonce = hex(crypto.getRandomValues(new Uint8Array(24)));
  const url = new URL("hello", base);
  url.searchParams.set("nonce", nonce);
  url.searchParams.set("key", hex(await sha256(hash)).slice(0, 8));
  const signal = AbortSignal.timeout(PROOF_MS);
  const response = await fetch(url, { cache: "no-store", redirect: "error", signal });
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok && response.status !== 404) throw new ApiError(response.status, body);
  if (textField(objectOf(body), "proof") !== (await proofOf(hash, nonce))) {
    throw new UnprovenServer();
  }
}

const PROOF_MS = 20_000;

async function proofOf(hash: ArrayBuffer, nonce: string): Promise<string> {
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", hash, hmac, false, ["sign"]);
  const message = new TextEncoder().encode(`hawser-hello:${nonce}`);
  return hex(new Uint8Array(await crypto.subtle.sign("HMAC", key, message)));
}

function sha256(bytes: BufferSource): Promise<ArrayBuffer> {
  return crypto.subtle.digest("SHA-256", bytes);
}

function hex(bytes: ArrayBuffer | Uint8Array): string {
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
