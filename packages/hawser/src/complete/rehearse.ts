import { Readable, Writable } from "node:stream";
import { SILENT } from "../base/index.js";
import type { Invocation } from "../options/index.js";
import type { CliProcess, Prepared } from "../process/index.js";
import { detachProcess, Session, type SessionSource } from "../session/index.js";
import { Attempt } from "./attempt.js";
import type { Completion } from "./completion.js";
import { planCall } from "./plan.js";
import { Tally } from "./tally.js";

/**
 * Runs one attempt on a CLI that exists only in memory, so that the code between a result line and its
 * caller is compiled before the first real result arrives. Code that runs for the first time is slow:
 * observed, 1.3 of the 2.2 ms between the first result and its caller. The rehearsal takes a few
 * milliseconds while the host only waits for the start of the CLI. It starts no process, writes no file, logs nothing
 * and publishes no event.
 */
export async function rehearse(): Promise<Completion<unknown>> {
  const plan = planCall("complete()", "?", {});
  const attempt = new Attempt(
    {
      number: undefined,
      plan,
      source: STAGE,
      output: undefined,
      tally: new Tally(),
      startedAt: performance.now(),
      feed: undefined,
      call: { unlessInterrupted: (promise) => promise, sleep: async () => {}, onPromptAhead() {} },
    },
    plan.options,
  );
  return attempt.run();
}

const STAGE: SessionSource = {
  begin: () => () => {},
  async acquire(request) {
    const warm = { process: processInMemory(), prepared: PREPARED, info: INFO, late: [] };
    const session = new Session({
      ...request,
      warm: { ...warm, sessionId: undefined },
      // Without a purpose, a session publishes no events.
      purpose: undefined,
    });
    return {
      session,
      queuedMs: undefined,
      bootMs: 0,
      isReplaceable: false,
      isHandedOn: true,
      release: async () => void detachProcess(session),
    };
  },
};

const INFO = { commands: [], agents: [], models: [], account: {} };

const INVOCATION: Invocation = {
  file: "",
  argv: [],
  env: {},
  initialize: { subtype: "initialize" },
  files: [],
  secrets: [],
  warnings: [],
  expectedDenyRules: 0,
};

const PREPARED: Prepared = {
  location: { path: "", source: "option", script: false },
  version: undefined,
  versionText: "",
  isVersionUnconfirmed: false,
  invocation: INVOCATION,
  invocationOf: () => INVOCATION,
  invocationFor: () => INVOCATION,
  user: undefined,
  customSpawn: undefined,
  graceMs: 0,
  renewWithinMs: undefined,
  onStderr: undefined,
  keepsStderrBlanks: false,
  mask: (text) => text,
  log: SILENT,
  trace: undefined,
  facts: {},
};

/** Answers a prompt with its result. */
function processInMemory(): CliProcess {
  const stdout = new Readable({ read() {} });
  const stdin = new Writable({
    write(line, _, written) {
      written();
      const { uuid } = JSON.parse(String(line)) as { readonly uuid?: string };
      if (uuid === undefined) return;
      for (const message of answerTo(uuid)) stdout.push(`${JSON.stringify(message)}\n`);
    },
  });
  const process: Pick<CliProcess, keyof CliProcess> = {
    pid: undefined,
    cliPath: "",
    startedAt: new Date(),
    stdin,
    stdout,
    exited: new Promise(() => {}),
    deadline: undefined,
    ending: false,
    signalled: false,
    stderrTail: "",
    setOwner() {},
    onExit: () => () => {},
    hold: () => () => {},
    initialized: async () => {},
    close: async () => {},
    kill: async () => {},
  };
  // All public members are there; the private ones belong to real processes.
  return process as CliProcess;
}

/** What comes before these messages is also compiled by the messages of the real CLI in good time. */
function answerTo(uuid: string): readonly object[] {
  const stamp = { session_id: "rehearsal", uuid: "rehearsal" };
  const state = { type: "system", subtype: "session_state_changed", ...stamp };
  const model = { inputTokens: 1, outputTokens: 1, costUSD: 0 };
  return [
    { ...state, state: "running" },
    { type: "command_lifecycle", command_uuid: uuid, state: "started", ...stamp },
    {
      type: "result",
      subtype: "success",
      is_error: false,
      num_turns: 1,
      result: "!",
      duration_ms: 1,
      duration_api_ms: 1,
      total_cost_usd: 0,
      usage: { input_tokens: 1, output_tokens: 1 },
      modelUsage: { model },
      permission_denials: [],
      user_message_uuids: [uuid],
      ...stamp,
    },
    { ...state, state: "idle" },
  ];
}
