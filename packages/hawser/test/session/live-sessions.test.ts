import { expect, it } from "vitest";
import { CHANNELS } from "../../src/base/index.js";
import { createPool } from "../../src/pool/index.js";
import { query } from "../../src/query/index.js";
import { liveSession, openSession } from "../../src/session/index.js";
import { fakeCli } from "../../src/testing/index.js";

const SCENARIO = {
  states: true,
  steps: [{ on: "user", times: "always", do: [{ turn: ["One moment.", { sleep: 600_000 }] }] }],
} as const;

/** The numbers of the sessions that begin, in their order. */
function begunSessions(): { readonly numbers: number[]; readonly stop: () => void } {
  const numbers: number[] = [];
  const listen = ({ session }: { readonly session: number }) => void numbers.push(session);
  CHANNELS.sessionStart.subscribe(listen);
  return { numbers, stop: () => CHANNELS.sessionStart.unsubscribe(listen) };
}

it("liveSession() finds a session and a query by their numbers until they are over", async ({
  onTestFinished,
}) => {
  const cli = await fakeCli(SCENARIO);
  const begun = begunSessions();
  onTestFinished(async () => {
    begun.stop();
    await cli.dispose();
  });
  const session = await openSession({ cliPath: cli.path });
  const [first = 0] = begun.numbers;
  expect(liveSession(first)).toBe(session);
  await liveSession(first)?.close();
  expect(liveSession(first)).toBeUndefined();

  const run = query({ prompt: "Go.", options: { pathToClaudeCodeExecutable: cli.path } });
  const types: string[] = [];
  try {
    for await (const { type } of run) {
      types.push(type);
      if (type === "assistant") await liveSession(begun.numbers[1] ?? 0)?.interrupt();
    }
  } catch (error) {
    // The CLI ends with a failure after an interrupted prompt.
    expect(error).toMatchObject({ name: "HawserError" });
  }
  expect(types).toContain("result");
  expect(liveSession(begun.numbers[1] ?? 0)).toBeUndefined();
  expect(liveSession(987_654)).toBeUndefined();
});

it("liveSession() finds the session of a call on a pool, and its interrupt ends the call", async ({
  onTestFinished,
}) => {
  const cli = await fakeCli(SCENARIO);
  const pool = createPool({ size: { min: 0, max: 1 } });
  const begun = begunSessions();
  onTestFinished(async () => {
    begun.stop();
    await pool.close();
    await cli.dispose();
  });
  const started = new Promise<void>((resolve) => {
    const listen = () => {
      CHANNELS.roundStart.unsubscribe(listen);
      resolve();
    };
    CHANNELS.roundStart.subscribe(listen);
  });
  const failure = pool.complete("Go.", { cliPath: cli.path }).catch((error: unknown) => error);
  await started;
  await liveSession(begun.numbers.at(-1) ?? 0)?.interrupt();
  expect(await failure).toMatchObject({ name: "HawserError" });
});
