import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PendingWork } from "../../src/session/idle/pending-work.js";
import type { Message } from "../../src/wire/index.js";

const system = (subtype: string, fields: object = {}) =>
  ({ type: "system", subtype, ...fields }) as unknown as Message;
const state = (name: string) => system("session_state_changed", { state: name });
const tasks = (...ids: string[]) =>
  system("background_tasks_changed", { tasks: ids.map((task_id) => ({ task_id })) });
const started = (task_id: string) => system("task_started", { task_id });
const updated = (task_id: string, status: string) =>
  system("task_updated", { task_id, patch: { status } });
const notified = (task_id: string) => system("task_notification", { task_id, status: "completed" });
const init = system("init");
const result = { type: "result", subtype: "success" } as Message;

/** Whether it is quiet after each of the messages. */
function quietAfter(activity: PendingWork, ...messages: readonly Message[]): boolean[] {
  return messages.map((message) => {
    activity.observe(message);
    return activity.isQuiet;
  });
}

describe("what the CLI has left to do", () => {
  let changes = 0;
  let activity: PendingWork;
  beforeEach(() => {
    vi.useFakeTimers();
    changes = 0;
    activity = new PendingWork({
      onWorkChanged: () => {
        changes += 1;
      },
    });
  });
  afterEach(() => void vi.useRealTimers());

  it("is nothing before anything was asked", () => {
    expect([activity.isQuiet, activity.inTurn]).toEqual([true, false]);
  });

  describe("by state lines", () => {
    it("is something from running to idle, and while somebody has to act", () => {
      expect(
        quietAfter(
          activity,
          state("running"),
          init,
          state("requires_action"),
          state("running"),
          result,
          state("idle"),
        ),
      ).toEqual([false, false, false, false, false, true]);
    });

    it("is background work too, which the CLI's own idle does not count", () => {
      expect(
        quietAfter(activity, state("running"), tasks("a", "b"), state("idle"), tasks("b"), tasks()),
      ).toEqual([false, false, false, false, true]);
    });

    it("is the turn that follows background work, from its end to the end of that turn", () => {
      activity.observe(state("running"));
      activity.observe(tasks("a"));
      activity.observe(state("idle"));
      const after = [updated("a", "completed"), tasks(), notified("a"), state("running"), init];
      expect(quietAfter(activity, ...after, result, state("idle"))).toEqual([
        ...after.map(() => false),
        false,
        true,
      ]);
      expect(vi.getTimerCount()).toBe(0);
    });

    it("is over after a while when no turn follows the end of background work", () => {
      activity.observe(state("idle"));
      activity.observe(tasks("a"));
      activity.observe(tasks());
      activity.observe(notified("a"));
      expect(activity.isQuiet).toBe(false);
      changes = 0;
      vi.advanceTimersByTime(5_000);
      expect([activity.isQuiet, changes]).toEqual([true, 1]);
    });

    it("is nothing more when background work ends while a turn runs", () => {
      activity.observe(state("running"));
      activity.observe(tasks("a"));
      expect(
        quietAfter(activity, tasks(), updated("a", "completed"), notified("a"), state("idle")),
      ).toEqual([false, false, false, true]);
    });
  });

  describe("by task lines, of an older CLI", () => {
    it("is something from init to result", () => {
      expect(quietAfter(activity, init, result)).toEqual([false, true]);
    });

    it("is every task that has started and not ended", () => {
      expect(
        quietAfter(activity, init, started("a"), started("b"), result, notified("a"), init, result),
      ).toEqual([false, false, false, false, false, false, false]);
      expect(quietAfter(activity, notified("b"), init, result)).toEqual([false, false, true]);
    });

    it("is nothing more when a task has ended while its turn runs", () => {
      expect(
        quietAfter(activity, init, started("a"), updated("a", "completed"), notified("a"), result),
      ).toEqual([false, false, false, false, true]);
    });

    it("is a task that is updated but still runs", () => {
      expect(
        quietAfter(
          activity,
          init,
          started("a"),
          result,
          updated("a", "running"),
          system("task_updated", { task_id: "a", patch: { description: "x" } }),
          system("task_updated", { task_id: "a" }),
        ),
      ).toEqual([false, false, false, false, false, false]);
    });

    it("waits anew after each end, for the turn that may follow", () => {
      for (const each of [init, started("a"), started("b"), result, notified("a")]) {
        activity.observe(each);
      }
      vi.advanceTimersByTime(4_000);
      activity.observe(notified("b"));
      vi.advanceTimersByTime(4_999);
      expect(activity.isQuiet).toBe(false);
      vi.advanceTimersByTime(1);
      expect(activity.isQuiet).toBe(true);
    });
  });

  it("is in a turn from init to result, whoever began it", () => {
    const inTurn = [init, notified("a"), result, init, result].map((message) => {
      activity.observe(message);
      return activity.inTurn;
    });
    expect(inTurn).toEqual([true, true, false, true, false]);
  });

  it("is nothing when the process is gone", () => {
    for (const each of [state("running"), init, tasks("a"), notified("b")]) activity.observe(each);
    activity.clear();
    expect([activity.isQuiet, activity.inTurn, vi.getTimerCount()]).toEqual([true, false, 0]);
    // The next process may be of another version.
    expect(quietAfter(activity, init, started("c"), result)).toEqual([false, false, false]);
  });

  it("tells of every line that may have changed it, and of no other", () => {
    for (const each of [state("running"), init, tasks("a"), notified("a")]) activity.observe(each);
    expect(changes).toBe(3);
    activity.observe({ type: "assistant" } as Message);
    activity.observe(system("status"));
    expect(changes).toBe(3);
  });

  it("survives lines that lack what they should have", () => {
    for (const subtype of ["session_state_changed", "background_tasks_changed", "task_started"]) {
      activity.observe(system(subtype));
    }
    for (const subtype of ["task_notification", "task_updated"]) activity.observe(system(subtype));
    expect(activity.inTurn).toBe(false);
  });
});
