// The ways to make a call with earlier messages that the bench compares with a call without them.
import { hawser, hawserOptions, openPool } from "./competitors.js";

export const HISTORIES = {
  history4: {
    label: "pool, recycled process, 4 earlier messages",
    open: (place) => openRecycled(place, historyOf(4)),
  },

  history50: {
    label: "pool, recycled process, 50 earlier messages",
    open: (place) => openRecycled(place, historyOf(50)),
  },

  resumed4: {
    label: "complete() with `resume` of a transcript with 4 earlier messages",
    endsProcess: true,
    open: (place) => openResumed(place, historyOf(4)),
  },

  resumed50: {
    label: "complete() with `resume` of a transcript with 50 earlier messages",
    endsProcess: true,
    open: (place) => openResumed(place, historyOf(50)),
  },
};

function openRecycled(place, history) {
  const options = { ...hawserOptions(place), history };
  return openPool({ size: { min: 1, max: 1 } }, () => options, "recycled");
}

/** What a program can do without `history`: keep the conversation in a transcript, and resume it. */
async function openResumed(place, history) {
  const { complete } = await hawser();
  const options = { ...hawserOptions(place), persistSession: true };
  const { sessionId } = await complete("Begin.", { ...options, history });
  const resumed = { ...options, resume: sessionId, forkSession: true };
  return { call: async (prompt) => (await complete(prompt, resumed)).result };
}

/** Messages of the user and the assistant in turn. */
function historyOf(count) {
  return Array.from({ length: count }, (_, i) =>
    i % 2 === 0
      ? { role: "user", content: `Question ${i}: which knot holds best?` }
      : { role: "assistant", content: `Answer ${i}: a bowline holds well.` },
  );
}
