import { setTimeout as sleep } from "node:timers/promises";
import { CHANNELS } from "hawser";
import { describe, expect, it } from "vitest";
import { pageWorld } from "./support/page-world.js";

const PER_SECOND = 200;
const SECONDS = 60;
const SESSIONS = 10;

const world = pageWorld();

describe("a page with 200 events a second for a minute", () => {
  it("stays responsive, and counts each event once", async () => {
    const page = await world.page("live");
    for (let session = 1; session <= SESSIONS; session += 1) begin(session);
    await page
      .locator(".session-row")
      .nth(SESSIONS - 1)
      .waitFor();
    await page.locator(".session-row").first().click();
    const facts = page.locator(".source [data-events]");
    const before = Number(await facts.getAttribute("data-events"));
    // An empty page beside it tells how late the machine itself is.
    const empty = await (await page.context().browser()?.newContext())?.newPage();
    for (const each of [page, empty]) await each?.evaluate(noteLateness);

    const presses: number[] = [];
    const start = performance.now();
    let sent = 0;
    for (let tick = 0; sent < PER_SECOND * SECONDS; tick += 1) {
      const due = Math.min(PER_SECOND * SECONDS, ((performance.now() - start) / 1000) * PER_SECOND);
      for (; sent < due; sent += 1) publish(sent);
      await sleep(10);
      if (tick % 300 !== 0) continue;
      // A person opens another session, another view, and comes back: how long until each is shown?
      const title = `Work ${((tick / 300) % SESSIONS) + 1}`;
      presses.push(await page.evaluate(press, { link: ".session-row", title, heading: "h2" }));
      presses.push(await page.evaluate(press, { link: "nav a", title: "Requests", heading: "h1" }));
      presses.push(await page.evaluate(press, { link: "nav a", title: "Live", heading: "h1" }));
    }
    await expect
      .poll(async () => Number(await facts.getAttribute("data-events")), { timeout: 30_000 })
      .toBe(before + sent);

    const [late, lateEmpty] = await Promise.all(
      [page, empty].map((each) => each?.evaluate(lateness)),
    );
    const [p95 = 0, slowest = 0] = late ?? [];
    const [p95Empty = 0] = lateEmpty ?? [];
    presses.sort((a, b) => a - b);
    const median = presses[Math.floor(presses.length / 2)] ?? 0;
    console.log(
      `${sent} events: the page was late by ${Math.round(p95)} ms (p95), ${Math.round(slowest)} ms at most, an empty page by ${Math.round(p95Empty)} ms; ` +
        `${presses.length} presses took ${Math.round(median)} ms (median), ${Math.round(presses.at(-1) ?? 0)} ms at most`,
    );
    expect(p95 - p95Empty).toBeLessThan(1000);
    expect(presses.length).toBeGreaterThan(10);
    expect(median).toBeLessThan(2000);
    expect(presses.at(-1)).toBeLessThan(20_000);
    expect(world.complaints).toEqual([]);
  }, 180_000);
});

/** Runs in the page: notes how late a timer is. */
function noteLateness(): void {
  const times: number[] = [];
  Object.assign(window, { times });
  let last = performance.now();
  setInterval(() => {
    const now = performance.now();
    times.push(now - last - 20);
    last = now;
  }, 20);
}

/** Runs in the page: how late the timer was, for 95 of 100 times and at most. */
function lateness(): readonly [number, number] {
  const { times } = window as unknown as { times: number[] };
  times.sort((a, b) => a - b);
  return [times[Math.floor(times.length * 0.95)] ?? 0, times.at(-1) ?? 0];
}

/** Runs in the page: presses a link, and measures until the heading of what it opens is drawn. */
async function press(wanted: {
  readonly link: string;
  readonly title: string;
  readonly heading: string;
}): Promise<number> {
  const find = (selector: string) =>
    [...document.querySelectorAll<HTMLElement>(selector)].find(({ textContent }) =>
      wanted.heading === "h1"
        ? textContent === wanted.title
        : new RegExp(`${wanted.title}(?!\\d)`).test(textContent ?? ""),
    );
  const link = find(wanted.link);
  if (link === undefined) throw new Error(`There is no link to ${wanted.title}.`);
  const start = performance.now();
  link.click();
  while (find(`main ${wanted.heading}`) === undefined) await new Promise(requestAnimationFrame);
  return performance.now() - start;
}

function idsOf(session: number) {
  const sessionId = `00000000-0000-4000-8000-${String(session).padStart(12, "0")}`;
  return { session: 800_000 + session, sessionId, call: undefined, turn: `turn-${session}` };
}

function begin(session: number): void {
  const at = Date.now();
  const facts = {
    model: "sonnet",
    agent: undefined,
    systemPrompt: undefined,
    output: "text",
  } as const;
  CHANNELS.sessionStart.publish({ ...idsOf(session), at, purpose: "session", ...facts });
  CHANNELS.sessionReady.publish({ ...idsOf(session), at, pid: 1, cliVersion: "2", ms: 1 });
  CHANNELS.turnStart.publish({ ...idsOf(session), at, prompt: `Work ${session}` });
}

/** Tool calls that begin and end, in turn in all sessions. */
function publish(number: number): void {
  const pair = Math.floor(number / 2);
  const call = {
    ...idsOf((pair % SESSIONS) + 1),
    at: Date.now(),
    round: 1,
    toolUseId: `tool-${pair}`,
    tool: "Bash",
    parentToolUseId: null,
    subagentType: undefined,
    input: { command: `echo ${pair}` },
  };
  if (number % 2 === 0) CHANNELS.toolStart.publish(call);
  else CHANNELS.toolEnd.publish({ ...call, outcome: "ok", ms: 5, result: "ok" });
}
