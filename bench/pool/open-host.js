import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { always } from "hawser/testing";
import { openPlace } from "../../tools/place.js";

const HOST = fileURLToPath(new URL("./host.js", import.meta.url));
export const ANSWER = "Here it is.";

/** A competitor at work: a process of its own, with a model, a home and a folder of its own. */
export async function openHost(name, more = {}) {
  const place = await openPlace();
  place.model.add(always(ANSWER));
  const { cli, cwd, env } = place;
  const child = fork(HOST, [name, JSON.stringify({ cli, cwd, env, ...more })]);
  const ended = once(child, "exit");
  let seen = 0;

  async function told() {
    const [message] = await Promise.race([once(child, "message"), ended]);
    if (message?.done) return message.value;
    throw new Error(message?.error ?? `The host of ${name} has ended (${child.exitCode}).`);
  }

  function ask(what, about) {
    child.send({ what, about });
    return told();
  }

  async function close() {
    try {
      if (child.connected) await ask("close");
    } finally {
      if (child.connected) child.disconnect();
      await ended;
      await place.close();
    }
  }

  try {
    await told();
  } catch (error) {
    await place.close();
    throw error;
  }
  return {
    ask,
    close,
    /** When none of its processes is left; for one that keeps none. */
    gone: place.gone,
    /** What its model was asked since the last time, with one name for every place. */
    requests() {
      const fresh = place.requests().slice(seen);
      seen += fresh.length;
      return JSON.parse(JSON.stringify(fresh).replaceAll(place.root, "/place"));
    },
  };
}
