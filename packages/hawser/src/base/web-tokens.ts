/**
 * Replaces every JSON web token by `becomes`. It reads each run of token characters once. A regular
 * expression would read the rest of the run from every `eyJ`: four megabytes of `-eyJ` took
 * seconds, and it fails on a run of some megabytes.
 */
export function replaceWebTokens(text: string, becomes: string): string {
  let replaced = "";
  let done = 0;
  for (let at = text.indexOf(START); at >= 0; at = text.indexOf(START, done)) {
    // The character before it shows whether a word begins there.
    const from = Math.max(done, at - 1);
    const end = endOfRun(text, at);
    replaced += text.slice(done, from) + inRun(text.slice(from, end), becomes);
    done = end;
  }
  return done === 0 ? text : replaced + text.slice(done);
}

const START = "eyJ";
const LEAST_HEADER = 13;
const LEAST_PAYLOAD = 5;

function endOfRun(text: string, at: number): number {
  let end = at;
  while (end < text.length && isTokenCharacter(text.charCodeAt(end))) end++;
  return end;
}

/** A to Z, a to z, 0 to 9, `_`, `-` and `.`. */
function isTokenCharacter(code: number): boolean {
  const letter = code | 0x20;
  return (
    (letter >= 0x61 && letter <= 0x7a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x5f ||
    code === 0x2d ||
    code === 0x2e
  );
}

/** A token is three segments separated by dots, and the first begins with `eyJ`. */
function inRun(run: string, becomes: string): string {
  const segments = run.split(".");
  const kept: string[] = [];
  for (let at = 0; at < segments.length; at++) {
    const segment = segments[at] ?? "";
    const payload = segments[at + 1] ?? "";
    const isFollowed = at + 2 < segments.length && payload.length >= LEAST_PAYLOAD;
    const start = isFollowed ? startIn(segment) : -1;
    if (start < 0) kept.push(segment);
    else {
      kept.push(segment.slice(0, start) + becomes);
      at += 2;
    }
  }
  return kept.join(".");
}

function startIn(segment: string): number {
  const start = segment.search(/\beyJ/);
  return segment.length - start >= LEAST_HEADER ? start : -1;
}
