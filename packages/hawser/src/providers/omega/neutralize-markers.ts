/**
 * Puts a backslash before the bracket of every line that looks like a role marker (`[System]`,
 * `[User]`, `[Assistant]`), so that text inside a message cannot pass for a turn of the conversation. A
 * line that already has backslashes there gets one more, so that no information is lost.
 */
export function neutralizeMarkers(text: string): string {
  let plain = "";
  let done = 0;
  for (const { index } of text.matchAll(LINE_START)) {
    const bracket = index + leadLengthAt(text, index);
    if (!isMarkerAt(text, bracket)) continue;
    plain += `${text.slice(done, bracket)}\\`;
    done = bracket;
  }
  return plain + text.slice(done);
}

/** After every character that a program may take for the end of a line. */
const LINE_START = /^|(?<=[\n\r\v\f\u001c-\u001e\u0085\u2028\u2029])/g;
const LINE_END = /[\n\r\v\f\u001c-\u001e\u0085\u2028\u2029]/;

/** Characters before a marker that do not hide it: space, invisible ones, Markdown, backslashes. */
const LEAD = /(?:[^\S\n\r\v\f\u2028\u2029]|[\p{Cf}\p{M}\u115f\u1160\u3164\uffa0>*_#~`\\])*/uy;

const OPENING: ReadonlySet<string> = new Set("[［【〔〖⟦⁅❲⦋⦍⦏﹝");
const CLOSING: ReadonlySet<string> = new Set("]］】〕〗⟧⁆❳⦌⦎⦐﹞");
const BETWEEN_LETTERS = /[\s\p{Cf}\p{M}\p{P}\p{S}\u115f\u1160\u3164\uffa0]/u;
const ROLES: ReadonlySet<string> = new Set(["system", "user", "assistant"]);
const LONGEST_ROLE = "assistant".length;

function leadLengthAt(text: string, from: number): number {
  LEAD.lastIndex = from;
  return LEAD.exec(text)?.[0].length ?? 0;
}

/** Reads no further than the line, so that each character is read once. */
function isMarkerAt(text: string, bracket: number): boolean {
  if (!OPENING.has(text.charAt(bracket))) return false;
  let role = "";
  for (let at = bracket + 1; at < text.length && role.length <= LONGEST_ROLE; ) {
    const char = String.fromCodePoint(text.codePointAt(at) ?? 0);
    if (CLOSING.has(char)) return ROLES.has(role);
    if (LINE_END.test(char)) return false;
    if (!BETWEEN_LETTERS.test(char)) role += latinLetterOf(char);
    at += char.length;
  }
  return false;
}

/** The Latin letter that a character looks like, without accents and width. */
function latinLetterOf(char: string): string {
  const base = char.normalize("NFKD").replace(/\p{M}/gu, "");
  const small = base.toLowerCase();
  return LOOK_ALIKES.get(base) ?? LOOK_ALIKES.get(small) ?? small;
}

/** Letters of other alphabets that look like the letters of the three roles. */
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
