/**
 * The words of a text, each once, for the full-text search. `Intl.Segmenter` also finds the words of languages
 * without spaces, and the database compares them as they are. So the search works alike in every language, and with
 * every locale of the database.
 */
export function wordsOf(text: string): string[] {
  const words = new Set<string>();
  let length = 0;
  for (const word of foldedWords(text.slice(0, LONGEST_TEXT))) {
    if (words.has(word)) continue;
    length += word.length;
    if (length > MOST_CHARACTERS) break;
    words.add(word);
  }
  return [...words];
}

/**
 * The query for texts that have all words of `text`, or words that begin with them; undefined if `text` has no word.
 * It is the text form of a `tsquery`.
 */
export function searchQuery(text: string): string | undefined {
  const words = [...new Set(foldedWords(text.slice(0, LONGEST_QUERY)))];
  if (words.length === 0) return undefined;
  return words.map((word) => `'${word.replaceAll(/['\\]/g, "$&$&")}':*`).join(" & ");
}

const SEGMENTER = new Intl.Segmenter("und", { granularity: "word" });

function* foldedWords(text: string): Iterable<string> {
  // U+0000 cannot be stored, and half a surrogate pair would become another character.
  const clean = text.normalize("NFKC").replaceAll(/[\0\p{Surrogate}]/gu, " ");
  for (const { segment, isWordLike } of SEGMENTER.segment(clean)) {
    if (isWordLike) yield segment.toLowerCase().slice(0, LONGEST_WORD);
  }
}

/** In characters. The rest of a longer message is not searched. */
const LONGEST_TEXT = 200_000;
const LONGEST_QUERY = 1000;

/** The database takes words up to 2046 bytes, and less than one megabyte of them for each message. */
const LONGEST_WORD = 200;
const MOST_CHARACTERS = 150_000;
