import { describe, expect, it } from "vitest";
import type { SessionStore, SessionStoreEntry } from "../../src/options/index.js";
import { always } from "../../src/testing/index.js";
import { NEWEST_CLI } from "../support/cli.js";
import { open as openReal } from "../support/open-session.js";
import { until } from "../support/proc.js";
import { recordingLogger } from "../support/recording-logger.js";
import { open } from "./fake.helper.js";

const SHAPELESS = {
  type: "result",
  subtype: "success",
  is_error: true,
  session_id: "s",
  uuid: "u",
};

describe("a result of unexpected shape", () => {
  it.each([
    ["errors that are no list", { errors: "text" }],
    ["a reason that is no text", { terminal_reason: 5 }],
    ["uuids that are no list", { user_message_uuids: 7 }],
  ])("still ends its turn: %s", async (_, odd) => {
    const { session } = await open([
      { on: "user", do: [{ init: {} }, { emit: { ...SHAPELESS, ...odd } }] },
    ]);
    expect(await session.send("1").result).toMatchObject(odd);
    expect((await session.send("2").result).subtype).toBe("success");
  });
});

describe("the reason why a session is over", () => {
  it("is the limit that was passed, when the process did not obey", async () => {
    const { session } = await open(
      [
        { on: "user", do: [{ init: {} }] },
        { on: "control", subtype: "interrupt", do: [] },
      ],
      { timeouts: { firstMessageMs: 300 }, closeGraceMs: 200 },
    );
    const limit = { code: "timeout", phase: "firstMessage" };
    await expect(session.send("1").result).rejects.toMatchObject(limit);
    await expect(session.send("2").result).rejects.toMatchObject(limit);
  });

  it.each([
    ["a signal", { die: "SIGKILL" }, { code: "process_exited", signal: "SIGKILL" }],
    ["its exit code", { exit: 3 }, { code: "process_exited", exitCode: 3 }],
    ["the message it lost, if it left in good order", { exit: 0 }, { code: "protocol_error" }],
  ] as const)("is, for a CLI that ended in the middle of a line, %s", async (_, end, why) => {
    const { session } = await open([
      { on: "user", do: [{ init: {} }, { write: '{"type":"assis' }, end] },
    ]);
    await expect(session.send("1").result).rejects.toMatchObject(why);
  });

  it("is that it was ended, for a CLI that asks and does not hear the answer", async () => {
    const request = { subtype: "can_use_tool", tool_name: "Bash", input: {}, tool_use_id: "t" };
    const { session } = await open(
      [{ on: "user", do: [{ init: {} }, { closeStdin: true }, { ask: request }] }],
      { canUseTool: async () => ({ behavior: "allow", updatedInput: {} }) },
    );
    await expect(session.send("1").result).rejects.toMatchObject({
      code: "process_exited",
      message: expect.stringContaining("closed its input before it read the answer"),
    });
  });

  it("is not a message that was lost while nothing ran", async () => {
    const { logger, entries } = recordingLogger();
    const { session } = await open(
      [
        { on: "user", do: [{ default: true }, { write: '{"type":"assis\n' }] },
        { on: "user", do: [{ default: true }] },
        { on: "user", do: [{ init: {} }, { stderr: "out of memory\n" }, { exit: 3 }] },
      ],
      { logger },
    );
    await session.send("1").result;
    await until(() => entries.some(({ message }) => message === "corrupt"));
    await session.send("2").result;
    await expect(session.send("3").result).rejects.toMatchObject({
      code: "process_exited",
      exitCode: 3,
    });
  });
});

/** One that takes its time, and counts what it has taken. */
function slowStore(ms: number): SessionStore & { taken: () => number; pending: () => number } {
  let [taken, pending] = [0, 0];
  return {
    taken: () => taken,
    pending: () => pending,
    async append(_key, entries: SessionStoreEntry[]) {
      pending += 1;
      await new Promise((resolve) => setTimeout(resolve, ms));
      taken += entries.length;
      pending -= 1;
    },
    load: async () => null,
  };
}

describe("a slow store", () => {
  it("does not count as silence of the model", async () => {
    const sessionStore = slowStore(1500);
    const { session } = await openReal(NEWEST_CLI, always("ok"), {
      sessionStore,
      timeouts: { idleMs: 500 },
    });
    expect(await session.send("1").text()).toBe("ok");
    expect(sessionStore.taken()).toBeGreaterThan(0);
    expect(await session.send("2").text()).toBe("ok");
  });

  it("has everything when close() resolves", async () => {
    const sessionStore = slowStore(500);
    const { session, model } = await openReal(NEWEST_CLI, always("ok"), { sessionStore });
    await session.send("1").result;
    session.send("2");
    await until(() => model.requests.filter(({ kind }) => kind === "call").length === 2);
    await session.close();
    expect(sessionStore.pending()).toBe(0);
  });
});
