import { isAscii } from "node:buffer";

/** Like `bytes.toString("utf8")`, but faster for ASCII, which is nearly all of the output. */
export function decodeUtf8(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString("latin1");
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const step = bytes.subarray(at, at + STEP);
    const whole = at + STEP < bytes.length ? step.subarray(0, wholeCharacters(step)) : step;
    text += whole.toString(isAscii(whole) ? "latin1" : "utf8");
    at += whole.length;
  }
  return text;
}

/**
 * How many of these bytes can be decoded by themselves. A byte that leads a UTF-8 sequence always
 * begins a character, so a cut in front of the last one changes nothing, not even how bad bytes are
 * replaced.
 */
export function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back < LONGEST_SEQUENCE; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0xc0) return bytes.length - back;
    if (byte < 0x80) break;
  }
  return bytes.length;
}

/** Returns a test whether a range may hold other bytes than ASCII; exact to `STEP` bytes. */
export function findNonAscii(bytes: Buffer): (from: number, to: number) => boolean {
  const steps: boolean[] = [];
  for (let at = 0; at < bytes.length; at += STEP) {
    steps.push(!isAscii(bytes.subarray(at, at + STEP)));
  }
  return (from, to) => {
    for (let step = from >> STEP_BITS; step <= to >> STEP_BITS; step++) {
      if (steps[step]) return true;
    }
    return false;
  };
}

const LONGEST_SEQUENCE = 4;
const STEP_BITS = 11;
const STEP: number = 1 << STEP_BITS;
