import { lazy } from "./lazy.js";

/** How many columns of the screen a character takes. */
export function columnsOf(character: string): number {
  if (character < "\u0300") return 1;
  if (wide().test(character)) return 2;
  return /[\p{Mn}\p{Me}\u200B-\u200D]/u.test(character) ? 0 : 1;
}

const wide = lazy(
  () =>
    /[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303F\uFF01-\uFF60\uFFE0-\uFFE6]/u,
);
