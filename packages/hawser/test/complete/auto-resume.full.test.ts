import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { HawserError } from "../../src/base/index.js";
import { type CompleteOptions, complete, stream } from "../../src/complete/index.js";
import { createSdkMcpServer, tool } from "../../src/mcp/index.js";
import { processes } from "../../src/process/index.js";
import {
  type FakeCli,
  fakeCli,
  type ReplyInput,
  reply,
  type SimulatedModel,
  type Step,
  toolUse,
} from "../../src/testing/index.js";
import { isMessage, type Message } from "../../src/wire/index.js";
import { clisInTurn, FULL, NEWEST_CLI } from "../support/cli.js";
import { recordingLogger } from "../support/recording-logger.js";
import { startsOf } from "../support/starts.js";
import { transcriptIn } from "../support/transcript.js";
import { type World, world } from "../support/world.js";
import { writtenSession } from "../support/written-session.js";

/** The cost of one request to the simulated model on `MODEL`. */
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

/** A reply with a text and a tool call. A bare `echo` would need no approval. */
function works(text: string): ReplyInput {
  const call = toolUse("Bash", { command: `touch it; echo did-${text}`, description: "d" });
  return reply([`${text} `, call], { usage: USAGE });
}

/** `WORK` by an agent, with options that belong to a call and not to its session. */
function workOfAgent(asked: string[]): CompleteOptions {
  const { allowedTools: _, ...work } = WORK;
  const lend = tool("lend", "Lends a hand.", {}, async () => ({ content: [] }));
  const mine = createSdkMcpServer({ name: "mine", tools: [lend], alwaysLoad: true });
  return {
    ...work,
    // A whole system prompt would replace the prompt of the agent.
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

/** Time for the transcript. The newest CLI writes it before the result; an older one takes a tenth of this. */
function pauseMs(path: string): number {
  return path === NEWEST_CLI ? 1000 : 4000;
}

/** Kills the CLI when the transcript has everything up to the n-th limit. Returns the pid. */
async function killOnceWritten({ configDir }: World, limits: number): Promise<number> {
  const last = ["did-a2", "did-b2", "did-c2"][limits - 1] ?? "";
  await vi.waitFor(() => expect(transcriptIn(configDir)).toContain(last), { timeout: 4000 });
  const pid = processes()[0]?.pid ?? Number.NaN;
  process.kill(pid, "SIGKILL");
  return pid;
}

/** The prompts that reached the model, without requests that only carry tool results. */
function promptsOf(model: SimulatedModel): string[] {
  return model.calls.map(({ prompt }) => prompt).filter((prompt) => prompt !== "");
}

const NAMES = ["a1", "a2", "b1", "b2", "c1", "c2"];

/** Three runs that reach the limit of two rounds, and a fourth that ends. */
const THREE_LIMITS = [...NAMES.map(works), reply("Done.", { usage: USAGE })];

describe.each(clisInTurn())("complete() with autoResume, on the real CLI $name", ({ path }) => {
  it("continues over three limits in one process, and logs each resume as a warning", async () => {
    const { model, options } = await world(path, THREE_LIMITS);
    const { logger, entries } = recordingLogger();
    const pids = new Set<number>();
    const call = stream("Work.", { ...options, ...WORK, autoResume: 5, logger });
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
      // The CLI counts a run of two rounds as three turns.
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
    const facts = [1, 2, 3].map((resumes) => ({ resumes, of: 5, delay_ms: 0 }));
    expect(seen.filter((message) => message.type === "hawser")).toEqual(
      facts.map((fields) => ({ type: "hawser", subtype: "continuing", ...fields })),
    );
    expect(entries.filter(({ fields }) => fields?.["resumes"] !== undefined)).toEqual(
      facts.map((fields) => ({
        level: "warn",
        message: "maxTurns was reached, so the call continues",
        fields,
      })),
    );
  });

  it("gives the text of a call without limit, while textStream gives the text of all runs", async () => {
    const replies = () => [works("a1"), works("a2"), works("b1"), reply("Done.", { usage: USAGE })];
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

  it("resumes in a new process after the process was killed between two runs", async () => {
    // A full run kills the process after every limit.
    const kills = FULL ? 3 : 1;
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
      if (message.subtype === "continuing" && killed.size < kills)
        killed.add(await killOnceWritten(place, killed.size + 1));
    }
    const completion = await call.completion;
    expect(completion).toMatchObject({
      stop: "completed",
      resumes: 3,
      texts: ["a1 a2 ", "b1 b2 ", "c1 c2 ", "Done."],
      usage: { input_tokens: 7000, output_tokens: 3500 },
    });
    expect(completion.costUsd).toBeCloseTo(7 * CALL_USD, 6);
    expect(killed.size).toBe(kills);
    expect(kinds).toEqual([
      ...Array(kills).fill(["continuing", "recovered"]).flat(),
      ...Array(3 - kills).fill("continuing"),
    ]);
    expect(promptsOf(model)).toEqual(["Work.", ...Array(3).fill("And on.")]);
    const last = model.calls.at(-1);
    expect(last?.system).toContain("You work.");
    expect(last?.system).toContain("You are the WORKER.");
    expect(last?.tools).toEqual(expect.arrayContaining(["Bash", "mcp__mine__lend"]));
    // The callback belongs to this program, so every process asks it.
    expect(asked).toEqual(NAMES.map((name) => `touch it; echo did-${name}`));
    expect(JSON.stringify(last?.body)).toContain("did-a1");
  });

  it("carries maxBudgetUsd over to the process that resumes", async () => {
    const place = await world(path, THREE_LIMITS);
    // Two runs of two requests fit. The fifth request exceeds the budget.
    const maxBudgetUsd = 4.5 * CALL_USD;
    const autoResume = { times: 5, waitMs: pauseMs(path) };
    const call = stream("Work.", { ...place.options, ...WORK, maxBudgetUsd, autoResume });
    let limits = 0;
    for await (const message of call) {
      if (!isMessage(message, "hawser") || message.subtype !== "continuing") continue;
      limits += 1;
      if (FULL || limits === 1) await killOnceWritten(place, limits);
    }
    const completion = await call.completion;
    expect(completion).toMatchObject({ stop: "max_budget", resumes: 2 });
    expect(completion.costUsd).toBeCloseTo(5 * CALL_USD, 6);
  });

  it("stops at the limit if waitMs exceeds the deadline, and leaves a resumable session", async () => {
    const { options } = await world(path, [works("a1"), works("a2"), "Later."]);
    const kept = { ...options, ...WORK, autoResume: 0 };
    const first = await complete("Work.", { ...kept, autoResume: { times: 5, waitMs: 3_600_000 } });
    expect(first).toMatchObject({ stop: "max_turns", resumes: 0, text: "a1 a2 " });
    const resumed = await complete("More.", { ...kept, resume: first.sessionId });
    expect(resumed).toMatchObject({ text: "Later.", sessionId: first.sessionId });
  });
});

describe("complete() with autoResume, on a fake CLI", () => {
  const limit = { subtype: "error_max_turns", is_error: true, errors: ["limit"], result: null };
  /** The first run reaches the limit of turns. */
  const LIMITED: Step = { on: "user", do: [{ init: {} }, { assistant: "one" }, { result: limit }] };

  async function fake(...steps: readonly Step[]): Promise<FakeCli> {
    const cli = await fakeCli({ steps });
    onTestFinished(() => cli.dispose());
    return cli;
  }

  it("gives the text of all runs with stop max_turns after the last allowed resume", async () => {
    const again: Step = { on: "user", do: [{ init: {} }, { assistant: "two" }, { result: limit }] };
    const cli = await fake(LIMITED, again);
    const completion = await complete("Work.", { cliPath: cli.path, maxTurns: 1, autoResume: 1 });
    expect(completion).toMatchObject({
      stop: "max_turns",
      resumes: 1,
      text: "one\n\ntwo",
      texts: ["one", "two"],
    });
    const lines = (await startsOf(cli)).flatMap((each) => each.lines);
    expect(lines.filter((line) => JSON.parse(line).type === "user")).toHaveLength(2);
  });

  it("rejects with timeout at totalMs, with the text of all runs", async () => {
    const cli = await fake(LIMITED, { on: "user", do: [{ init: {} }, { assistant: "Half an" }] });
    const failed = complete("Work.", {
      cliPath: cli.path,
      maxTurns: 1,
      autoResume: 5,
      closeGraceMs: 500,
      timeouts: { totalMs: 8000 },
    });
    await expect(failed).rejects.toMatchObject({
      code: "timeout",
      phase: "total",
      partialText: "one\n\nHalf an",
      resumable: true,
      sessionId: expect.any(String),
    });
  });

  it("can be aborted during waitMs", async () => {
    const cli = await fake(LIMITED);
    const controller = new AbortController();
    const call = stream("Work.", {
      cliPath: cli.path,
      maxTurns: 1,
      signal: controller.signal,
      autoResume: { times: 5, waitMs: 300_000 },
    });
    const read = async () => {
      for await (const message of call) if (message.type === "hawser") controller.abort("enough");
    };
    const aborted = { code: "aborted", reason: "enough", partialText: "one" };
    await expect(read()).rejects.toMatchObject(aborted);
    await expect(call.completion).rejects.toMatchObject(aborted);
  });

  it("rejects with process_exited after SIGKILL during waitMs if persistSession is false", async () => {
    const cli = await fake(LIMITED);
    const autoResume = { times: 5, waitMs: 1000 };
    const call = stream("Work.", {
      cliPath: cli.path,
      maxTurns: 1,
      persistSession: false,
      autoResume,
    });
    const kill = async () => {
      for await (const message of call) {
        if (message.type === "hawser") process.kill(processes()[0]?.pid ?? Number.NaN, "SIGKILL");
      }
    };
    const error = await kill().catch((caught: unknown) => caught as HawserError);
    expect(error).toMatchObject({
      code: "process_exited",
      signal: "SIGKILL",
      resumable: false,
      partialText: "one",
    });
  });

  it("resumes in a new process when the process dies during a later run", async () => {
    const dies: Step = { on: "user", do: [{ init: {} }, { assistant: "two" }, { exit: 9 }] };
    const cli = await fake(LIMITED, dies);
    const { sessionId, env } = await writtenSession();
    // Every process of the fake CLI begins with the first step: it reaches the limit and dies in the next run.
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
