import { randomBytes } from "node:crypto";
import { visible } from "../base/index.js";

/** A subject between two lines, its fence. No text inside of it can look like its end. */
export interface FencedSubject {
  /** The number in both lines. Nobody could know it when the subject was written. */
  readonly nonce: string;
  readonly text: string;
}

/**
 * Line breaks of all kinds become LF. Characters without a shape become signs such as `<U+202E>`, because they can hide
 * words from a person that a model reads, or turn their order.
 */
export function fenceSubject(subject: string): FencedSubject {
  const nonce = randomBytes(16).toString("hex");
  const shown = visible(subject.replace(/\r\n?|\u2028|\u2029|\u0085/g, "\n"));
  return { nonce, text: `=== BEGIN ${nonce} ===\n${shown}\n=== END ${nonce} ===` };
}
