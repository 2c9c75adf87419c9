import { mapStrings } from "./json.mjs";

/** A shorter id could be a word or part of a word, so it is replaced only in fields for ids. */
const LONG_ENOUGH = 16;
const ID_FIELD = /ids?$/;

/** Maps recorded ids that the host invented to those that this host uses. */
export class Ids {
  #now = new Map();

  learn(recorded, given) {
    if (typeof recorded !== "string" || typeof given !== "string") return;
    if (recorded !== "" && recorded !== given) this.#now.set(recorded, given);
  }

  translate(value) {
    if (this.#now.size === 0) return value;
    return mapStrings(value, (text, field) => this.#translateText(text, field));
  }

  #translateText(text, field) {
    const whole = ID_FIELD.test(field) ? this.#now.get(text) : undefined;
    if (whole !== undefined) return whole;
    let translated = text;
    for (const [recorded, given] of this.#now) {
      if (recorded.length >= LONG_ENOUGH) translated = translated.replaceAll(recorded, given);
    }
    return translated;
  }
}
