// Masks what differs between two runs: new ids (numbered in the order of appearance) and the current time.
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

export function idsIn(text) {
  return new Set(text.match(UUID) ?? []);
}

export class Mask {
  #known;
  #since;
  #seen = new Map();

  /** Does not mask the ids in `known`, nor times before `since`. */
  constructor(known, since) {
    this.#known = known;
    this.#since = since;
  }

  text(text) {
    return text
      .replace(UUID, (id) => (this.#known.has(id) ? id : this.#name(id)))
      .replace(TIME, (time) => (Date.parse(time) >= this.#since ? "<now>" : time));
  }

  value(value) {
    if (value === undefined) return "<undefined>";
    return JSON.parse(this.text(JSON.stringify(value, (_key, each) => this.#time(each))));
  }

  #name(id) {
    if (!this.#seen.has(id)) this.#seen.set(id, `<new id ${this.#seen.size + 1}>`);
    return this.#seen.get(id);
  }

  #time(value) {
    const isNow = typeof value === "number" && value >= this.#since && value < this.#since + 3.6e6;
    return isNow ? "<now>" : value;
  }
}
