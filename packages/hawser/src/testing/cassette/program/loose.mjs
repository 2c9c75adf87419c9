import { HookNames } from "./hook-names.mjs";
import { isObject } from "./json.mjs";
import { contentOf } from "./strict.mjs";

/** Requests on which later entries depend. The player waits for no others while the host waits for a result. */
const TURNING_POINTS = ["interrupt", "end_session"];

/** Between two turns: how long the player waits for a request that this host may never make. */
const REQUEST_MS = 1000;

/** How long the player waits for earlier entries after the host has sent its next prompt. */
const ORDER_MS = 5000;

/**
 * The host must follow the shape of the recording: prompts in the same order, with any text; an answer to
 * each question; control requests at any time, each answered like the recorded request of that kind.
 */
export class Loose {
  #play;
  #prompts = [];
  #promptsLeft;
  #answered = new Set();
  #answers = new Map();
  #requests = new Count();
  #hooks;
  #unnamed = [];
  #inTurn = false;

  constructor(play) {
    this.#play = play;
    const { entries } = play.take;
    const sent = entries
      .filter(({ kind }) => kind === "in")
      .map(contentOf)
      .filter(isObject);
    const requests = sent.filter(({ type }) => type === "control_request");
    this.#promptsLeft = sent.filter(({ type }) => type === "user").length;
    this.#hooks = new HookNames(requests.find(isInitialize)?.request.hooks);
    for (const { request_id, request } of requests) {
      const answer = entries.map(contentOf).find((value) => answersTo(value, request_id));
      if (answer !== undefined) push(this.#answers, request?.subtype, answer);
    }
  }

  receive(value) {
    if (value?.type === "control_request") this.#answer(value);
    else if (value?.type === "control_response") this.#answered.add(value.response?.request_id);
    else if (value?.type === "user") this.#take(value);
  }

  /** Resolves when the host has reached this entry; to true if the host has ended its input instead. */
  async line(entry) {
    const recorded = contentOf(entry);
    if (recorded?.type === "user") return this.#prompt(recorded);
    if (recorded?.type === "control_request") return this.#request(entry, recorded);
    if (recorded?.type !== "control_response") return false;
    const id = recorded.response?.request_id;
    const { inbox, asked } = this.#play;
    await inbox.until(() => this.#answered.has(id) || inbox.ended || !asked.has(id));
    return asked.has(id) && !this.#answered.has(id);
  }

  async end() {
    const { inbox } = this.#play;
    await inbox.until(() => inbox.ended);
  }

  /** Whether the host has sent a prompt too many. Requests are answered as they arrive. */
  hasMore() {
    return this.#promptsLeft < 0;
  }

  /** What to print for a recorded message. Nothing for an answer, because answers are sent when they are due. */
  shown(value) {
    if (value?.type === "control_response") return undefined;
    if (value?.request?.subtype === "hook_callback") return this.#hook(value);
    if (value?.type === "control_cancel_request") {
      return this.#play.asked.has(value.request_id) ? value : undefined;
    }
    if (value?.type !== "result") return value;
    this.#inTurn = false;
    const uuids = this.#unnamed.splice(0);
    return uuids.length === 0 ? value : { ...value, user_message_uuids: uuids };
  }

  #answer({ request_id, request }) {
    const subtype = request?.subtype;
    this.#requests.more(subtype);
    if (subtype === "initialize") this.#hooks.given(request.hooks);
    const recorded = this.#answers.get(subtype) ?? [];
    const answer = recorded.length > 1 ? recorded.shift() : recorded[0];
    const { response, ...rest } = answer ?? PLAIN_SUCCESS;
    this.#play.print({ ...rest, response: { ...response, request_id } });
  }

  #take(value) {
    this.#prompts.push(value);
    this.#promptsLeft -= 1;
    // A take that is cut off may have lost that prompt.
    if (!this.hasMore() || this.#play.take.entries.at(-1)?.kind !== "exit") return;
    this.#play.fail(undefined, "the host sent one prompt more than there is in this take");
  }

  async #prompt(recorded) {
    const { inbox, ids } = this.#play;
    await inbox.until(() => this.#prompts.length > 0 || inbox.ended);
    const given = this.#prompts.shift();
    if (given === undefined) return true;
    this.#inTurn = true;
    if (recorded.uuid === undefined && given.uuid !== undefined) this.#unnamed.push(given.uuid);
    ids.learn(recorded.uuid, given.uuid);
    return false;
  }

  async #request(entry, { request }) {
    const { inbox, fail } = this.#play;
    const subtype = request?.subtype;
    const isPoint = TURNING_POINTS.includes(subtype);
    const has = () => this.#requests.has(subtype);
    const hasGoneOn = () => has() || inbox.ended || this.#prompts.length > 0;
    if (isPoint) {
      await inbox.until(hasGoneOn);
      await inbox.until(() => has() || inbox.ended, ORDER_MS);
    } else if (subtype === "initialize") await inbox.until(hasGoneOn);
    else if (!this.#inTurn) await inbox.until(hasGoneOn, REQUEST_MS);
    if (this.#requests.take(subtype)) return false;
    if (isPoint && !inbox.ended)
      await fail(entry, `the host sent a prompt instead of "${subtype}"`);
    return isPoint;
  }

  #hook(value) {
    const callback_id = this.#hooks.nameOf(value.request.callback_id);
    if (callback_id === undefined) return undefined;
    return { ...value, request: { ...value.request, callback_id } };
  }
}

const PLAIN_SUCCESS = { type: "control_response", response: { subtype: "success", response: {} } };

/** How many messages of each kind have arrived and were not used yet. */
class Count {
  #left = new Map();

  more(name) {
    this.#left.set(name, (this.#left.get(name) ?? 0) + 1);
  }

  has(name) {
    return (this.#left.get(name) ?? 0) > 0;
  }

  take(name) {
    if (!this.has(name)) return false;
    this.#left.set(name, this.#left.get(name) - 1);
    return true;
  }
}

function isInitialize({ request }) {
  return request?.subtype === "initialize";
}

function answersTo(value, id) {
  return value?.type === "control_response" && value.response?.request_id === id;
}

function push(lists, name, value) {
  if (!lists.has(name)) lists.set(name, []);
  lists.get(name).push(value);
}
