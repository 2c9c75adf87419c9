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

describe("a result message of unexpected shape", () => {
  it.each([
    ["errors that are no list", { errors: "text" }],
    ["a reason that is no text", { terminal_reason: 5 }],
    ["uuids that are no list", { user_message_uuids: 7 }],
  ])("still ends its turn if it has %s", async (_, odd) => {
    const { session } = await open([
      { on: "user", do: [{ init: {} }, { emit: { ...SHAPELESS, ...odd } }] },
    ]);
    expect(await session.send("1").result).toMatchObject(odd);
    expect((await session.send("2").result).subtype).toBe("success");
  });
});

describe("the error of a session that is over", () => {
  it("is the passed time limit when the process ignores the interrupt", async () => {
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
    ["the signal", { die: "SIGKILL" }, { code: "process_exited", signal: "SIGKILL" }],
    ["the exit code", { exit: 3 }, { code: "process_exited", exitCode: 3 }],
    ["the lost message (exit code 0)", { exit: 0 }, { code: "protocol_error" }],
  ] as const)("is %s for a CLI that ends in the middle of a line", async (_, end, why) => {
    const { session } = await open([
      { on: "user", do: [{ init: {} }, { write: '{"type":"assis' }, end] },
    ]);
    await expect(session.send("1").result).rejects.toMatchObject(why);
  });

  it("is process_exited for a CLI that asks and has closed its input", async () => {
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

  it("is not a message that was lost between turns", async () => {
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

/** A store that needs this time for each append, and counts the entries. */
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

describe("a slow sessionStore", () => {
  it("does not make a turn pass idleMs", async () => {
    const sessionStore = slowStore(6_000);
    const { session } = await openReal(NEWEST_CLI, always("ok"), {
      sessionStore,
      timeouts: { idleMs: 3_000 },
    });
    expect(await session.send("1").text()).toBe("ok");
    expect(sessionStore.taken()).toBeGreaterThan(0);
    expect(await session.send("2").text()).toBe("ok");
  });

  it("has stored everything when close() resolves", async () => {
    const sessionStore = slowStore(500);
    const { session, model } = await openReal(NEWEST_CLI, always("ok"), { sessionStore });
    await session.send("1").result;
    session.send("2");
    await until(() => model.requests.filter(({ kind }) => kind === "call").length === 2);
    await session.close();
    expect(sessionStore.pending()).toBe(0);
  });
});
