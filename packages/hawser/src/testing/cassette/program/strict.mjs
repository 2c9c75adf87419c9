import { describe, difference } from "./difference.mjs";
import { isObject, parse } from "./json.mjs";

/**
 * The host must send the same lines in the same order. Only its answers to the CLI's requests may arrive
 * in any order, because each depends only on its request.
 */
export class Strict {
  #play;
  #lines = [];
  #answers = new Map();

  constructor(play) {
    this.#play = play;
  }

  receive(value) {
    if (value?.type !== "control_response") return this.#lines.push(value);
    return this.#answers.set(value.response?.request_id, value);
  }

  async line(entry) {
    const { inbox } = this.#play;
    const recorded = contentOf(entry);
    const id = recorded?.type === "control_response" ? recorded.response?.request_id : undefined;
    const has = () => (id === undefined ? this.#lines.length > 0 : this.#answers.has(id));
    await inbox.until(() => has() || inbox.ended || this.#isStray());
    if (!has()) await this.#lacks(entry, recorded);
    await this.#compare(
      entry,
      recorded,
      id === undefined ? this.#lines.shift() : this.#answers.get(id),
    );
    this.#answers.delete(id);
  }

  async end(entry) {
    const { inbox } = this.#play;
    await inbox.until(() => inbox.ended || this.hasMore());
    if (!this.hasMore()) return;
    const sent = `the host sent ${nameOf(this.#next())}`;
    await this.#play.fail(entry, `the host's input ended here, and now ${sent}`);
  }

  /** Whether the host has sent something that no entry expects. */
  hasMore() {
    return this.#next() !== undefined;
  }

  #next() {
    return this.#lines[0] ?? [...this.#answers.values()][0];
  }

  shown(value) {
    return value;
  }

  /** An answer to a request that was never made. An early answer is used later. */
  #isStray() {
    return [...this.#answers.keys()].some((id) => !this.#play.asked.has(id));
  }

  async #lacks(entry, recorded) {
    const { inbox } = this.#play;
    const what = inbox.ended ? "ended its input" : "answered a request that was never made";
    await this.#play.fail(entry, `the host sent ${nameOf(recorded)} here, and now it ${what}`, {
      recorded,
    });
  }

  async #compare(entry, recorded, value) {
    const { ids, mask, fail } = this.#play;
    if (isObject(recorded) && recorded.type === value?.type) {
      if (recorded.type === "control_request") ids.learn(recorded.request_id, value.request_id);
      if (recorded.type === "user") ids.learn(recorded.uuid, value.uuid);
    }
    const found = difference(mask.hide(ids.translate(recorded)), mask.hide(value));
    if (found !== undefined) await fail(entry, describe(found), found);
  }
}

/** The value if the line was JSON, else its text. */
export function contentOf({ json, text, latin1 }) {
  return json ?? parse(text ?? "") ?? text ?? latin1;
}

export function nameOf(value) {
  if (!isObject(value)) return "a line that is no JSON object";
  const subtype = value.request?.subtype ?? value.response?.subtype;
  return subtype === undefined ? `"${value.type}"` : `"${value.type}" (${subtype})`;
}
