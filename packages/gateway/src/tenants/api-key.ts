import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** A new key: 256 random bits behind a prefix that secret scanners can recognise. */
export function createKey(): string {
  return `${KEY_PREFIX}${randomBytes(32).toString("base64url")}`;
}

export const KEY_PREFIX = "hwk_";

/** The SHA-256 hash of a key, as hexadecimal digits. A key is random, so the hash needs no salt. */
export function hashKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

/** Whether two hashes are equal. The time does not depend on where they differ. */
export function equalHashes(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a, "hex"), Buffer.from(b, "hex")];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** The keys that a request carries: `x-api-key`, and `Authorization: Bearer`. */
export function keysOf(headers: Headers): string[] {
  const bearer = /^Bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "")?.[1];
  return [headers.get("x-api-key"), bearer].filter(
    (key): key is string => typeof key === "string" && key !== "",
  );
}
