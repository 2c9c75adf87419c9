import { describe, expect, it } from "vitest";
import { complete } from "../../src/complete/index.js";
import { openSession } from "../../src/session/index.js";
import type { History } from "../../src/wire/index.js";
import { expectedFor, receivedIn } from "../complete/history.helper.js";
import { clisInTurn } from "../support/cli.js";
import { reusedFake } from "../support/reused-fake.js";
import { sharedWorld } from "../support/shared-world.js";
import { open } from "./fake.helper.js";

const KNOTS: History = [
  { role: "user", content: "/clear" },
  { role: "assistant", content: "Bowline and sheet bend." },
];

describe.each(clisInTurn())("session.append() on the real CLI $name", ({ path }) => {
  const shared = sharedWorld(path);
  const session = () => shared.session({ preset: "lean" });

  it("adds messages between two turns, without a request to the model", async () => {
    shared.script("One.", "Two.");
    const live = await session();
    await live.send("First?").text();
    await live.append([{ role: "user", content: "More." }, ...KNOTS.slice(1)]);
    expect(shared.calls).toHaveLength(1);
    const turn = live.send("Second?");
    expect(await turn.text()).toBe("Two.");
    expect(turn.merged).toEqual([]);
    const [, second] = shared.calls.map(receivedIn);
    expect(second).toEqual(
      expectedFor(
        [
          { role: "user", content: "First?" },
          { role: "assistant", content: "One." },
          { role: "user", content: "More." },
          ...KNOTS.slice(1),
        ],
        "Second?",
      ),
    );
  });

  it("waits for the running turn, and keeps prompts back that are sent meanwhile", async () => {
    shared.script("Slow.", "After.");
    const live = await session();
    const running = live.send("Running?");
    const appended = live.append([
      { role: "user", content: "Appended question." },
      { role: "assistant", content: "Appended answer." },
    ]);
    await running.result;
    await live.idle();
    const after = live.send("After the append?");
    await appended;
    await after.result;
    const texts = JSON.stringify(shared.calls.at(-1)?.body);
    expect(texts).toMatch(
      /Running\?.*Slow.*Appended question.*Appended answer.*After the append\?/,
    );
  });

  it("keeps the messages of two calls apart, and a prompt of another waiter out of them", async () => {
    shared.script("One.", "Two.");
    const live = await session();
    const first = live.send("First?");
    const sent = live.idle().then(() => live.send("Of another waiter?").result);
    const both = [1, 2].map((n) => {
      return live.append([
        { role: "user", content: `Question ${n}.` },
        { role: "assistant", content: `Answer ${n}.` },
      ]);
    });
    await Promise.all([first.result, sent, ...both]);
    shared.script("Three.");
    await live.send("Last?").result;
    const received = JSON.stringify(shared.calls.at(-1)?.body);
    const texts = [...received.matchAll(/(?:Question|Answer) \d|another waiter/g)].map(String);
    const own = texts.filter((text) => text !== "another waiter");
    expect(own).toEqual(["Question 1", "Answer 1", "Question 2", "Answer 2"]);
    expect(texts.indexOf("another waiter") % 2).toBe(0);
  });

  it("costs nothing", async () => {
    shared.script("One.");
    const live = await session();
    await live.append([{ role: "user", content: "x" }, ...KNOTS.slice(1)]);
    const turn = live.send("y");
    await turn.result;
    shared.script("One.");
    const plain = live.send("z");
    await plain.result;
    expect(turn.costUsd).toBeCloseTo(plain.costUsd ?? Number.NaN, 10);
  });
});

describe("session.append()", () => {
  it("rejects with invalid_options for messages that do not fit together", async () => {
    const { session } = await open();
    await expect(session.append([{ role: "user", content: "" }])).rejects.toMatchObject({
      code: "invalid_options",
    });
  });

  it("rejects with closed after close()", async () => {
    const { session } = await open();
    await session.close();
    await expect(session.append(KNOTS)).rejects.toMatchObject({ code: "closed" });
  });

  it("rejects if the process dies, and so does the next prompt", async () => {
    const { session } = await open([{ on: "user", do: [{ die: "SIGKILL" }] }]);
    await expect(session.append(KNOTS)).rejects.toMatchObject({ code: "process_exited" });
    await expect(session.send("x").result).rejects.toMatchObject({ code: "process_exited" });
  });

  it("rejects if the process dies at the last message, an assistant's", async () => {
    const { session } = await open([{ on: "line", do: [{ die: "SIGKILL" }] }]);
    await expect(session.append(KNOTS)).rejects.toMatchObject({ code: "process_exited" });
  });

  it("rejects with process_exited if a session that recovers loses its process meanwhile", async () => {
    const { session } = await open([{ on: "line", do: [{ die: "SIGKILL" }] }], { recover: true });
    await expect(session.append(KNOTS)).rejects.toMatchObject({ code: "process_exited" });
  });

  it.each(["2.0.77", "2.1.50", "2.1.196"])(
    "is refused with unsupported_by_cli on %s",
    async (version) => {
      const cli = await reusedFake({ version: `${version} (Claude Code)` });
      await using session = await openSession({ cliPath: cli.path });
      const error = { code: "unsupported_by_cli", cliVersion: version };
      await expect(session.append(KNOTS)).rejects.toMatchObject(error);
      expect((await cli.recorded()).flatMap(({ lines }) => lines).join()).not.toContain(
        "sheet bend",
      );
    },
  );
});

describe("complete() with history", () => {
  it.each(["2.0.77", "2.1.50", "2.1.196"])(
    "is refused with unsupported_by_cli on %s, whatever onOldCli says",
    async (version) => {
      const cli = await reusedFake({ version: `${version} (Claude Code)` });
      for (const onOldCli of ["error", "warn", "ignore"] as const) {
        const options = { cliPath: cli.path, history: KNOTS, onOldCli };
        await expect(complete("x", options)).rejects.toMatchObject({
          code: "unsupported_by_cli",
          cliVersion: version,
          issues: [{ path: "history", message: "needs 2.1.197" }],
        });
      }
      expect((await cli.recorded()).filter(({ argv }) => argv.length > 1)).toEqual([]);
    },
  );

  it("is refused with unsupported_by_cli if the version of the CLI is not known", async () => {
    const cli = await reusedFake({ version: "dev" });
    const call = complete("x", { cliPath: cli.path, history: KNOTS, logger: console });
    await expect(call).rejects.toMatchObject({ code: "unsupported_by_cli" });
  });
});
