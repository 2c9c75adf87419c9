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

describe("PendingWork", () => {
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

  it("is idle before the first prompt", () => {
    expect([activity.isQuiet, activity.inTurn]).toEqual([true, false]);
  });

  describe("with state lines", () => {
    it("is busy from running to idle, and in requires_action", () => {
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

    it("is busy during background work, which the idle state of the CLI ignores", () => {
      expect(
        quietAfter(activity, state("running"), tasks("a", "b"), state("idle"), tasks("b"), tasks()),
      ).toEqual([false, false, false, false, true]);
    });

    it("is busy from the end of background work to the end of the turn that follows", () => {
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

    it("becomes idle after a while when no turn follows background work", () => {
      activity.observe(state("idle"));
      activity.observe(tasks("a"));
      activity.observe(tasks());
      activity.observe(notified("a"));
      expect(activity.isQuiet).toBe(false);
      changes = 0;
      vi.advanceTimersByTime(5_000);
      expect([activity.isQuiet, changes]).toEqual([true, 1]);
    });

    it("expects no further turn when background work ends while a turn runs", () => {
      activity.observe(state("running"));
      activity.observe(tasks("a"));
      expect(
        quietAfter(activity, tasks(), updated("a", "completed"), notified("a"), state("idle")),
      ).toEqual([false, false, false, true]);
    });
  });

  describe("with task lines of an older CLI", () => {
    it("is busy from init to result", () => {
      expect(quietAfter(activity, init, result)).toEqual([false, true]);
    });

    it("is busy while a task has started and not ended", () => {
      expect(
        quietAfter(activity, init, started("a"), started("b"), result, notified("a"), init, result),
      ).toEqual([false, false, false, false, false, false, false]);
      expect(quietAfter(activity, notified("b"), init, result)).toEqual([false, false, true]);
    });

    it("expects no further turn when a task ends while its turn runs", () => {
      expect(
        quietAfter(activity, init, started("a"), updated("a", "completed"), notified("a"), result),
      ).toEqual([false, false, false, false, true]);
    });

    it("is busy while an updated task still runs", () => {
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

    it("waits after each task end for the turn that may follow", () => {
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

  it("is in a turn from init to result, also if the CLI began the turn", () => {
    const inTurn = [init, notified("a"), result, init, result].map((message) => {
      activity.observe(message);
      return activity.inTurn;
    });
    expect(inTurn).toEqual([true, true, false, true, false]);
  });

  it("is idle when the process is gone", () => {
    for (const each of [state("running"), init, tasks("a"), notified("b")]) activity.observe(each);
    activity.clear();
    expect([activity.isQuiet, activity.inTurn, vi.getTimerCount()]).toEqual([true, false, 0]);
    // The next process may be of another version.
    expect(quietAfter(activity, init, started("c"), result)).toEqual([false, false, false]);
  });

  it("reports exactly the lines that may have changed its state", () => {
    for (const each of [state("running"), init, tasks("a"), notified("a")]) activity.observe(each);
    expect(changes).toBe(3);
    activity.observe({ type: "assistant" } as Message);
    activity.observe(system("status"));
    expect(changes).toBe(3);
  });

  it("accepts lines with missing fields", () => {
    for (const subtype of ["session_state_changed", "background_tasks_changed", "task_started"]) {
      activity.observe(system(subtype));
    }
    for (const subtype of ["task_notification", "task_updated"]) activity.observe(system(subtype));
    expect(activity.inTurn).toBe(false);
  });
});
