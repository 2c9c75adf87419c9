import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { HawserError } from "../../src/base/index.js";
import { type CompleteOptions, complete, stream } from "../../src/complete/index.js";
import { createSdkMcpServer, tool } from "../../src/mcp/index.js";
import { processes } from "../../src/process/index.js";
import {
  fakeCli,
  hang,
  type ReplyInput,
  reply,
  type SimulatedModel,
  toolUse,
} from "../../src/testing/index.js";
import { isMessage, type Message } from "../../src/wire/index.js";
import { clisInTurn, NEWEST_CLI } from "../support/cli.js";
import { recordingLogger } from "../support/recording-logger.js";
import { startsOf } from "../support/starts.js";
import { transcriptIn } from "../support/transcript.js";
import { type World, world } from "../support/world.js";
import { writtenSession } from "../support/written-session.js";

/** What one call of the simulated model costs on `MODEL`. */
const CALL_USD = 0.0105;
const MODEL = "claude-sonnet-4-5";
const USAGE = { input_tokens: 1000, output_tokens: 500 };

const WORK: CompleteOptions = {
  model: MODEL,
  systemPrompt: "You work.",
  tools: ["Bash"],
  allowedTools: ["Bash"],
  maxTurns: 2,
};

/** A reply that says something and calls a tool; a mere `echo` would need no approval. */
function works(text: string): ReplyInput {
  const call = toolUse("Bash", { command: `touch it; echo did-${text}`, description: "d" });
  return reply([`${text} `, call], { usage: USAGE });
}

/** The same with all that belongs to a call and not to its session. */
function workOfAgent(asked: string[]): CompleteOptions {
  const { allowedTools: _, ...work } = WORK;
  const lend = tool("lend", "Lends a hand.", {}, async () => ({ content: [] }));
  const mine = createSdkMcpServer({ name: "mine", tools: [lend], alwaysLoad: true });
  return {
    ...work,
    // One that is the whole would take the place of the agent's.
    systemPrompt: { type: "preset", preset: "claude_code", append: "You work." },
    agents: {
      worker: {
        description: "Works.",
        prompt: "You are the WORKER.",
        tools: ["Bash", "mcp__mine__lend"],
      },
    },
    agent: "worker",
    mcpServers: { mine },
    canUseTool: async (_tool, { command }) => {
      asked.push(String(command));
      return { behavior: "allow" };
    },
  };
}

/** The newest CLI has written its transcript when it answers; ten times what an older one takes. */
function pauseMs(path: string): number {
  return path === NEWEST_CLI ? 1000 : 4000;
}

/** Ends the CLI when it has written down what it did before the n-th notice; gives its pid. */
async function killOnceWritten({ configDir }: World, notice: number): Promise<number> {
  const last = ["did-a2", "did-b2", "did-c2"][(notice - 1) / 2] ?? "";
  await vi.waitFor(() => expect(transcriptIn(configDir)).toContain(last), { timeout: 4000 });
  const pid = processes()[0]?.pid ?? 0;
  process.kill(pid, "SIGKILL");
  return pid;
}

/** What the model was asked, without what only brings results of tools. */
function promptsOf(model: SimulatedModel): string[] {
  return model.calls.map(({ prompt }) => prompt).filter((prompt) => prompt !== "");
}

const NAMES = ["a1", "a2", "b1", "b2", "c1", "c2"];

/** Three runs that reach the limit of two rounds, and a fourth that ends. */
const THREE_LIMITS = [...NAMES.map(works), reply("Done.", { usage: USAGE })];

describe.each(clisInTurn())(
  "a call that reaches its limit of turns, on the real CLI $name",
  ({ path }) => {
    it("goes on to its end over three limits in one process", async () => {
      const { model, options } = await world(path, THREE_LIMITS);
      const pids = new Set<number>();
      const call = stream("Work.", { ...options, ...WORK, autoResume: 5 });
      const seen: Message[] = [];
      for await (const message of call) {
        seen.push(message);
        for (const { pid } of processes()) if (pid !== undefined) pids.add(pid);
      }
      const completion = await call.completion;
      expect(completion).toMatchObject({
        stop: "completed",
        resumes: 3,
        text: "Done.",
        texts: ["a1 a2 ", "b1 b2 ", "c1 c2 ", "Done."],
        // The CLI calls a run of two rounds three turns.
        turns: 10,
        usage: { input_tokens: 7000, output_tokens: 3500 },
      });
      expect(completion.costUsd).toBeCloseTo(7 * CALL_USD, 6);
      expect(pids.size).toBe(1);
      expect(promptsOf(model)).toEqual(["Work.", ...Array(3).fill("Go on where you stopped.")]);
      expect(model.calls.every(({ system }) => system.includes("You work."))).toBe(true);
      expect(model.calls.every(({ tools }) => tools.includes("Bash"))).toBe(true);
      expect(model.calls.flatMap(({ toolResults }) => toolResults).map(({ text }) => text)).toEqual(
        NAMES.map((name) => `did-${name}`),
      );
      expect(seen.filter((message) => message.type === "hawser")).toEqual(
        [1, 2, 3].map((resumes) => ({
          type: "hawser",
          subtype: "continuing",
          resumes,
          of: 5,
          delay_ms: 0,
        })),
      );
    });

    it("has the same text as one that reaches no limit; textStream has all that was said", async () => {
      const replies = () => [
        works("a1"),
        works("a2"),
        works("b1"),
        reply("Done.", { usage: USAGE }),
      ];
      const whole = await world(path, replies());
      const once = await complete("Work.", { ...whole.options, ...WORK, maxTurns: 10 });
      const { options } = await world(path, replies());
      const call = stream("Work.", { ...options, ...WORK, autoResume: 5 });
      let said = "";
      for await (const piece of call.textStream) said += piece;
      const resumed = await call.completion;
      expect([once.resumes, resumed.resumes]).toEqual([0, 1]);
      expect([once.text, resumed.text]).toEqual(["Done.", "Done."]);
      expect([once.texts, resumed.texts]).toEqual([["Done."], ["a1 a2 ", "Done."]]);
      expect(said).toBe("a1 a2 \n\nb1 Done.");
    });

    it("logs each resume as a warning, with its number and the limit", async () => {
      const { options } = await world(path, THREE_LIMITS);
      const { logger, entries } = recordingLogger();
      await complete("Work.", { ...options, ...WORK, autoResume: 2, logger });
      const resumes = entries.filter(({ fields }) => fields?.["resumes"] !== undefined);
      expect(resumes).toEqual(
        [1, 2].map((n) => ({
          level: "warn",
          message: "maxTurns was reached, so the call continues",
          fields: { resumes: n, of: 2, delay_ms: 0 },
        })),
      );
    });

    it("goes on in a new process that resumes when the one before was killed", async () => {
      const place = await world(path, THREE_LIMITS);
      const { model, options } = place;
      const asked: string[] = [];
      const autoResume = { times: 5, waitMs: pauseMs(path), prompt: "And on." };
      const work = workOfAgent(asked);
      const call = stream("Work.", { ...options, ...work, maxBudgetUsd: 10, autoResume });
      const killed = new Set<number>();
      const kinds: string[] = [];
      for await (const message of call) {
        if (!isMessage(message, "hawser")) continue;
        kinds.push(message.subtype);
        if (message.subtype === "continuing")
          killed.add(await killOnceWritten(place, kinds.length));
      }
      const completion = await call.completion;
      expect(completion).toMatchObject({
        stop: "completed",
        resumes: 3,
        texts: ["a1 a2 ", "b1 b2 ", "c1 c2 ", "Done."],
        usage: { input_tokens: 7000, output_tokens: 3500 },
      });
      expect(completion.costUsd).toBeCloseTo(7 * CALL_USD, 6);
      expect(killed.size).toBe(3);
      expect(kinds).toEqual(Array(3).fill(["continuing", "recovered"]).flat());
      expect(promptsOf(model)).toEqual(["Work.", ...Array(3).fill("And on.")]);
      const last = model.calls.at(-1);
      expect(last?.system).toContain("You work.");
      expect(last?.system).toContain("You are the WORKER.");
      expect(last?.tools).toEqual(expect.arrayContaining(["Bash", "mcp__mine__lend"]));
      // The callback belongs to this program: it is asked in every process.
      expect(asked).toEqual(NAMES.map((name) => `touch it; echo did-${name}`));
      expect(JSON.stringify(last?.body)).toContain("did-a1");
    });

    it("carries its budget into the process that resumes", async () => {
      const place = await world(path, THREE_LIMITS);
      // Two runs of two calls fit; the fifth call is one too many.
      const maxBudgetUsd = 4.5 * CALL_USD;
      const autoResume = { times: 5, waitMs: pauseMs(path) };
      const call = stream("Work.", { ...place.options, ...WORK, maxBudgetUsd, autoResume });
      let limits = 0;
      for await (const message of call) {
        if (!isMessage(message, "hawser") || message.subtype !== "continuing") continue;
        limits += 1;
        await killOnceWritten(place, limits * 2 - 1);
      }
      const completion = await call.completion;
      expect(completion).toMatchObject({ stop: "max_budget", resumes: 2 });
      expect(completion.costUsd).toBeCloseTo(5 * CALL_USD, 6);
    });

    it("gives what was said in all runs when it may not go on any more", async () => {
      const { model, options } = await world(path, THREE_LIMITS);
      const completion = await complete("Work.", { ...options, ...WORK, autoResume: 1 });
      expect(completion).toMatchObject({
        stop: "max_turns",
        resumes: 1,
        text: "a1 a2 \n\nb1 b2 ",
        texts: ["a1 a2 ", "b1 b2 "],
      });
      expect(model.calls.length).toBe(4);
    });

    it("keeps a session that others can go on with", async () => {
      const { options } = await world(path, [works("a"), works("b"), "Later."]);
      const kept = { ...options, ...WORK, autoResume: 0 };
      const first = await complete("Work.", { ...kept, autoResume: { times: 1, waitMs: 10 ** 9 } });
      expect(first.stop).toBe("max_turns");
      const resumed = await complete("More.", { ...kept, resume: first.sessionId });
      expect(resumed).toMatchObject({ text: "Later.", sessionId: first.sessionId });
    });
  },
);

describe("a call that goes on", () => {
  it("ends with its deadline, with the texts of all runs", async () => {
    const { options } = await world(NEWEST_CLI, [works("a1"), works("a2"), hang(["Half an"])]);
    const failed = complete("Work.", {
      ...options,
      ...WORK,
      autoResume: 5,
      timeouts: { totalMs: 20_000 },
    });
    await expect(failed).rejects.toMatchObject({
      code: "timeout",
      phase: "total",
      partialText: "a1 a2 \n\nHalf an",
      resumable: true,
      sessionId: expect.any(String),
    });
  });

  it("does not wait for what its deadline would not let it do", async () => {
    const { options } = await world(NEWEST_CLI, [works("a1"), works("a2")]);
    const completion = await complete("Work.", {
      ...options,
      ...WORK,
      autoResume: { times: 5, waitMs: 3_600_000 },
    });
    expect(completion).toMatchObject({ stop: "max_turns", resumes: 0, text: "a1 a2 " });
  });

  it("can be aborted while it waits", async () => {
    const { options } = await world(NEWEST_CLI, [works("a1"), works("a2")]);
    const controller = new AbortController();
    const call = stream("Work.", {
      ...options,
      ...WORK,
      signal: controller.signal,
      autoResume: { times: 5, waitMs: 300_000 },
    });
    const read = async () => {
      for await (const message of call) if (message.type === "hawser") controller.abort("enough");
    };
    const aborted = { code: "aborted", reason: "enough", partialText: "a1 a2 " };
    await expect(read()).rejects.toMatchObject(aborted);
    await expect(call.completion).rejects.toMatchObject(aborted);
  });

  it("is lost with its process where no session may be kept", async () => {
    const { options } = await world(NEWEST_CLI, [works("a1"), works("a2")]);
    const autoResume = { times: 5, waitMs: 1000 };
    const call = stream("Work.", { ...options, ...WORK, persistSession: false, autoResume });
    const kill = async () => {
      for await (const message of call) {
        if (message.type === "hawser") process.kill(processes()[0]?.pid ?? 0, "SIGKILL");
      }
    };
    const error = await kill().catch((caught: unknown) => caught as HawserError);
    expect(error).toMatchObject({
      code: "process_exited",
      signal: "SIGKILL",
      resumable: false,
      partialText: "a1 a2 ",
    });
  });

  it("goes on once more when its process dies in the middle of a run", async () => {
    const limit = { subtype: "error_max_turns", is_error: true, errors: ["limit"], result: null };
    const cli = await fakeCli({
      steps: [
        { on: "user", do: [{ init: {} }, { assistant: "one" }, { result: limit }] },
        { on: "user", do: [{ init: {} }, { assistant: "two" }, { exit: 9 }] },
      ],
    });
    onTestFinished(() => cli.dispose());
    const { sessionId, env } = await writtenSession();
    // Every process of the fake begins anew: it stops at the limit, and dies in the next run.
    const options = { cliPath: cli.path, sessionId, env, maxTurns: 1 };
    const { logger, entries } = recordingLogger();
    const completion = await complete("x", { ...options, autoResume: 2, logger });
    expect(completion).toMatchObject({
      stop: "max_turns",
      resumes: 2,
      texts: ["one", "two", "one"],
    });
    const told = entries.filter(({ fields }) => fields?.["resumes"] !== undefined);
    expect(told.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      "warn: maxTurns was reached, so the call continues",
      "warn: the process died after a resume, so the call continues in a new process",
    ]);
    // The cost of a run in which the process died is not known.
    expect(completion.costUsd).toBeUndefined();
    const ways = (await startsOf(cli)).map(({ argv }) =>
      argv.find((each) => /^--(resume|session-id)=/.test(each)),
    );
    expect(ways).toEqual([`--session-id=${sessionId}`, `--resume=${sessionId}`]);
  });
});
