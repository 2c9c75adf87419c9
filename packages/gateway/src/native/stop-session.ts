import type { LiveQuery, Session } from "hawser";
import type { EventFeed } from "./event-feed.js";

/**
 * Interrupts the turns that run, and drops the prompts that wait. Resolves when these turns have ended. If the CLI
 * does not obey in time, the process and everything below it are killed, which ends the session.
 */
export async function stopSession(
  session: Session | LiveQuery,
  id: string,
  feed: EventFeed,
): Promise<void> {
  const running = new Set(turnsOf(feed, id));
  const interrupted = session.interrupt({ cancelQueued: true });
  const isOver = () => !turnsOf(feed, id).some((turn) => running.has(turn));
  const hasObeyed = await within(STOP_MS, async (signal) => {
    await interrupted;
    await until(isOver, feed, signal);
    // A CLI that cannot be told to stop is killed as well.
  }).catch(() => false);
  if (hasObeyed) return;
  interrupted.catch(() => {});
  if ("kill" in session) await session.kill();
  else await session.close();
}

/** The CLI needs a few milliseconds, and longer if a tool does not end at once. */
const STOP_MS = 5000;

function turnsOf(feed: EventFeed, id: string): readonly string[] {
  return feed.state.session(id)?.turns.map((turn) => turn.id) ?? [];
}

/** Whether the work has ended in time. */
async function within(
  limitMs: number,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<boolean> {
  const giveUp = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs);
  });
  try {
    return await Promise.race([work(giveUp.signal).then(() => true), late]);
  } finally {
    clearTimeout(timer);
    giveUp.abort();
  }
}

/** Resolves when the condition holds after an event, or when the signal aborts. */
function until(condition: () => boolean, { log }: EventFeed, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stop = log.listen(() => {
      if (condition() || log.isClosed) end();
    });
    const end = () => {
      stop();
      resolve();
    };
    signal.addEventListener("abort", end, { once: true });
    if (condition() || signal.aborted) end();
  });
}
