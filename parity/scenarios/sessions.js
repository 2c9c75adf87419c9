// Conversations that continue in another process.
import { collect, converse } from "../observe.js";

const ID = "11111111-2222-4333-8444-555555555555";
const OTHER = "99999999-8888-4777-8666-555555555555";

export const scenarios = {
  async "a fixed id"(sdk, place) {
    place.model.add("one");
    return ask(sdk, place, "first", { sessionId: ID });
  },

  async resume(sdk, place) {
    place.model.add("one", "two");
    const first = await ask(sdk, place, "first");
    const resume = first.messages.at(-1).session_id;
    return { first, second: await ask(sdk, place, "second", { resume }) };
  },

  async fork(sdk, place) {
    place.model.add("one", "two", "three");
    const first = await ask(sdk, place, "first", { sessionId: ID });
    const fork = await ask(sdk, place, "second", { resume: ID, forkSession: true });
    const again = await ask(sdk, place, "third", { resume: ID });
    return { first, fork, again };
  },

  async "fork into a fixed id"(sdk, place) {
    place.model.add("one", "two");
    const first = await ask(sdk, place, "first", { sessionId: ID });
    const options = { resume: ID, forkSession: true, sessionId: OTHER };
    return { first, fork: await ask(sdk, place, "second", options) };
  },

  async continue(sdk, place) {
    place.model.add("one", "two");
    const first = await ask(sdk, place, "first");
    return { first, second: await ask(sdk, place, "second", { continue: true }) };
  },

  async "continue without a session"(sdk, place) {
    place.model.add("one");
    return ask(sdk, place, "first", { continue: true });
  },

  async "resume at a message"(sdk, place) {
    place.model.add("one", "two", "three");
    const first = await converse(sdk, place.options({ sessionId: ID }), "first", "second");
    const answer = first.messages.find(({ type }) => type === "assistant");
    const options = { resume: ID, resumeSessionAt: answer?.uuid };
    return { first, second: await ask(sdk, place, "third", options) };
  },

  async "resume at a message that is not there"(sdk, place) {
    place.model.add("one");
    const first = await ask(sdk, place, "first", { sessionId: ID });
    const options = { resume: ID, resumeSessionAt: OTHER };
    return { first, second: await ask(sdk, place, "second", options) };
  },

  async "resume of an unknown id"(sdk, place) {
    return ask(sdk, place, "first", { resume: OTHER });
  },

  async "an id in use"(sdk, place) {
    place.model.add("one");
    const first = await ask(sdk, place, "first", { sessionId: ID });
    return { first, second: await ask(sdk, place, "second", { sessionId: ID }) };
  },

  async "an id that is none"(sdk, place) {
    return ask(sdk, place, "first", { sessionId: "not-an-id" });
  },

  async "an id and resume together"(sdk, place) {
    return ask(sdk, place, "first", { sessionId: ID, resume: OTHER });
  },

  async "nothing kept"(sdk, place) {
    place.model.add("one");
    const first = await ask(sdk, place, "first", { sessionId: ID, persistSession: false });
    return { first, second: await ask(sdk, place, "second", { resume: ID }) };
  },

  async "a title"(sdk, place) {
    place.model.add("one");
    return ask(sdk, place, "first", { title: "The first one" });
  },
};

async function ask(sdk, { options }, prompt, more) {
  return collect(refusing(() => sdk.query({ prompt, options: options(more) })));
}

/** Counts a refusal at the call itself as one at the first message. Other scenarios tell them apart. */
async function* refusing(start) {
  yield* start();
}
