/**
 * The text with every line that looks like a role marker (`[System]`, `[User]`, `[Assistant]`) made
 * plain by a backslash before its bracket, so that what somebody wrote cannot pass for a turn of the
 * conversation. A line that has backslashes there gets one more: nothing is lost to the eye.
 */
export function neutralizeMarkers(text: string): string {
  let plain = "";
  let done = 0;
  for (const { index } of text.matchAll(LINE_START)) {
    const bracket = index + leadOf(text, index);
    if (!isMarkerAt(text, bracket)) continue;
    plain += `${text.slice(done, bracket)}\\`;
    done = bracket;
  }
  return plain + text.slice(done);
}

/** After every character that some reader takes for the end of a line. */
const LINE_START = /^|(?<=[\n\r\v\f\u001c-\u001e\u0085\u2028\u2029])/g;
const LINE_END = /[\n\r\v\f\u001c-\u001e\u0085\u2028\u2029]/;

/** What does not hide a marker behind it: space, what is not seen, Markdown's signs, backslashes. */
const LEAD = /(?:[^\S\n\r\v\f\u2028\u2029]|[\p{Cf}\p{M}\u115f\u1160\u3164\uffa0>*_#~`\\])*/uy;

const OPENING: ReadonlySet<string> = new Set("[［【〔〖⟦⁅❲⦋⦍⦏﹝");
const CLOSING: ReadonlySet<string> = new Set("]］】〕〗⟧⁆❳⦌⦎⦐﹞");
const BETWEEN_LETTERS = /[\s\p{Cf}\p{M}\p{P}\p{S}\u115f\u1160\u3164\uffa0]/u;
const ROLES: ReadonlySet<string> = new Set(["system", "user", "assistant"]);
const LONGEST_ROLE = "assistant".length;

function leadOf(text: string, from: number): number {
  LEAD.lastIndex = from;
  return LEAD.exec(text)?.[0].length ?? 0;
}

/** Reads no further than the line, so that each character is looked at once. */
function isMarkerAt(text: string, bracket: number): boolean {
  if (!OPENING.has(text.charAt(bracket))) return false;
  let role = "";
  for (let at = bracket + 1; at < text.length && role.length <= LONGEST_ROLE; ) {
    const char = String.fromCodePoint(text.codePointAt(at) ?? 0);
    if (CLOSING.has(char)) return ROLES.has(role);
    if (LINE_END.test(char)) return false;
    if (!BETWEEN_LETTERS.test(char)) role += latin(char);
    at += char.length;
  }
  return false;
}

/** The letter that a character shows, less its accents, its width and its alphabet. */
function latin(char: string): string {
  const base = char.normalize("NFKD").replace(/\p{M}/gu, "");
  const small = base.toLowerCase();
  return LOOK_ALIKES.get(base) ?? LOOK_ALIKES.get(small) ?? small;
}

/** Of other alphabets, as far as the three roles have letters that look like theirs. */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    a: "аαɑᴀ",
    e: "еεҽᴇ",
    i: "іιıɪ",
    m: "мμᴍ",
    n: "пոνɴ",
    r: "гꭇʀ",
    s: "ѕꜱՏ",
    t: "тτᴛ",
    u: "υսᴜ",
    y: "уγүʏΥ",
  }).flatMap(([letter, others]) => [...others].map((other): [string, string] => [other, letter])),
);
