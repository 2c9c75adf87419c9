// What sessions, resets and transcripts promise.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { createPool, getSessionMessages, listSessions } from "hawser";
import { textBelow } from "../place.js";

const WORDS = ["apple", "cherry", "damson", "elder"];

/**
 * The words that the last request to the model contains.
 * @param {() => readonly import("hawser/testing").RecordedRequest[]} calls
 */
function known(calls) {
  const said = JSON.stringify(calls().at(-1)?.body);
  return WORDS.filter((word) => said.includes(word));
}

/** @type {readonly import("../outcome.js").Check[]} */
export const sessions = [
  {
    id: "turns",
    group: "Sessions",
    title: "each turn of a session sees the turns before it, in one process",
    async run(place) {
      const { calls, options } = await place.world(({ prompt }) => `answer to ${prompt}`);
      const session = await place.session(options);
      const { pid } = session;
      assert.match(await session.send("apple").text(), /answer to .*apple/);
      assert.match(await session.send("cherry").text(), /answer to .*cherry/);
      assert.deepEqual(known(calls), ["apple", "cherry"]);
      assert.equal(session.pid, pid);
    },
  },
  {
    id: "resume",
    group: "Sessions",
    title: "`resume` keeps the history, and `forkSession` leaves the original as it is",
    async run(place) {
      const { calls, options } = await place.world(["ok"]);
      const id = randomUUID();
      const say = async (word, more) => {
        const session = await place.session({ ...options, ...more });
        await session.send(word).result;
        await session.close();
        return { id: session.id, words: known(calls) };
      };
      assert.deepEqual(await say("apple", { sessionId: id }), { id, words: ["apple"] });
      const second = await say("cherry", { resume: id });
      assert.deepEqual(second.words, ["apple", "cherry"]);
      const fork = await say("damson", { resume: second.id, forkSession: true });
      assert.deepEqual(fork.words, ["apple", "cherry", "damson"]);
      assert.notEqual(fork.id, second.id);
      const last = await say("elder", { resume: second.id });
      assert.deepEqual(last.words, ["apple", "cherry", "elder"]);
      return second.id === id ? undefined : "a resumed session has another id";
    },
  },
  {
    id: "reset-pool",
    group: "Sessions",
    title: "a pool shows no call a word of another call",
    isGuard: true,
    async run(place) {
      const { calls, options } = await place.world(["ok"]);
      const pool = createPool({ size: { min: 1, max: 2 } });
      place.onClose(() => pool.close());
      for (const word of WORDS) {
        await pool.complete(word, options);
        assert.deepEqual(known(calls), [word]);
      }
      const { recycled } = pool.stats().calls.by;
      return recycled > 0 ? undefined : "each call gets a process of its own: none is reset";
    },
  },
  {
    id: "reset-command",
    group: "Sessions",
    title: '`session.command("/clear")` begins a new conversation',
    isGuard: true,
    async run(place) {
      const { calls, options } = await place.world(["ok"]);
      const session = await place.session(options);
      await session.send("apple").result;
      const { id } = session;
      await session.command("/clear").result;
      await session.send("cherry").result;
      assert.deepEqual(known(calls), ["cherry"], "the model still sees the old conversation");
      assert.notEqual(session.id, id, "the session id did not change");
    },
  },
  {
    id: "transcript",
    group: "Sessions",
    title: "`listSessions()` and `getSessionMessages()` read what the CLI wrote",
    async run(place) {
      const { options, cwd, configDir } = await place.world(["cherry"]);
      const session = await place.session(options);
      await session.send("apple").result;
      await session.close();
      const { id = "" } = session;
      const where = { dir: cwd, configDir };
      const listed = (await listSessions(where)).map(({ sessionId }) => sessionId);
      assert.deepEqual(listed, [id]);
      const messages = await getSessionMessages(id, where);
      const lines = messages.map(({ type, message }) => {
        const text = JSON.stringify(message);
        return `${type} ${WORDS.filter((word) => text.includes(word))}`;
      });
      assert.deepEqual(lines, ["user apple", "assistant cherry"]);
    },
  },
  {
    id: "no-transcript",
    group: "Sessions",
    title: "`persistSession: false` leaves nothing on disk",
    isGuard: true,
    async run(place) {
      const { options, configDir } = await place.world(["cherry"]);
      const session = await place.session({ ...options, persistSession: false });
      await session.send("apple").result;
      await session.close();
      const text = textBelow(configDir);
      assert.ok(!/apple|cherry/.test(text), "words of the conversation are on disk");
    },
  },
  {
    id: "session-store",
    group: "Sessions",
    title: "`sessionStore` gets every line of the transcript",
    async run(place) {
      const { options } = await place.world(["cherry"]);
      /** @type {object[]} */
      const entries = [];
      const session = await place.session({
        ...options,
        sessionStore: {
          append: async (_, added) => void entries.push(...added),
          load: async () => null,
        },
      });
      await session.send("apple").result;
      await session.close();
      const text = JSON.stringify(entries);
      assert.deepEqual(
        WORDS.filter((word) => text.includes(word)),
        ["apple", "cherry"],
      );
    },
  },
  {
    id: "set-model",
    group: "Sessions",
    title: "`setModel()` changes the model of the next turn",
    async run(place) {
      const { calls, options } = await place.world(["ok"]);
      const session = await place.session({ ...options, model: "claude-sonnet-4-5" });
      await session.send("apple").result;
      await session.setModel("claude-haiku-4-5");
      await session.send("cherry").result;
      const models = calls().map((call) => call.model);
      assert.match(models.at(0) ?? "", /sonnet/);
      assert.match(models.at(-1) ?? "", /haiku/);
    },
  },
];
