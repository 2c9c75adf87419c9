import { existsSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { processes } from "../../src/process/index.js";
import { type Action, always, fakeCli, hang, toolUse } from "../../src/testing/index.js";
import { until } from "../support/proc.js";
import { transcriptIn } from "../support/transcript.js";
import { attempting, attemptingIn, type Cause } from "./failure-cases.helper.js";

const BASH = { tools: ["Bash"], allowedTools: ["Bash"] };
const LONG = "knot ".repeat(14_000);
const REASON = "no longer needed";

/** A loop, because the newest CLI refuses to run a bare `sleep`. */
const endless = () =>
  toolUse("Bash", { command: "touch begun; while :; do sleep 1; done", description: "d" });

/** A call on a fake CLI that performs these steps when a prompt arrives. */
function faking(steps: readonly Action[], on: "user" | "initialize" = "user"): Cause["attempt"] {
  return async (path) => {
    const cli = await fakeCli({ steps: [{ on, do: steps }] });
    onTestFinished(() => cli.dispose());
    const options = { cliPath: cli.path, timeouts: { bootMs: 2000 }, closeGraceMs: 500 };
    return attempting({ options })(path);
  };
}

function kill(): void {
  process.kill(processes()[0]?.pid ?? Number.NaN, "SIGKILL");
}

/** Failures while the CLI runs. */
export const WHILE_IT_RUNS: readonly Cause[] = [
  {
    cause: "The CLI does not become ready (`timeouts.bootMs`)",
    attempt: faking([], "initialize"),
    becomes: {
      code: "timeout",
      message: /The CLI was not ready within 2000 ms/,
      phase: "boot",
      hint: "Try again, or raise `timeouts.bootMs`.",
      resumable: false,
    },
  },
  {
    cause: "The model says nothing (`timeouts.firstMessageMs`)",
    elsewhere: "phases.test.ts",
    attempt: attempting({ replies: [hang()], options: { timeouts: { firstMessageMs: 2000 } } }),
    becomes: {
      code: "timeout",
      message: /The CLI sent no message within 2000 ms/,
      phase: "firstMessage",
      hint: "Try again, or raise `timeouts.firstMessageMs`.",
      resumable: false,
    },
  },
  {
    cause: "The model stops in mid-answer (`timeouts.idleMs`)",
    attempt: attempting({
      replies: [hang("Half an answer")],
      options: { timeouts: { idleMs: 2000 } },
    }),
    becomes: {
      code: "timeout",
      message: /The CLI sent nothing more for 2000 ms/,
      phase: "idle",
      hint: "Try again, or raise `timeouts.idleMs`.",
      resumable: false,
      partialText: "Half an answer",
    },
  },
  {
    cause: "The model stops in mid-answer, with `persistSession: true`",
    elsewhere: "phases.test.ts",
    attempt: attempting({
      replies: [hang("Half an answer")],
      options: { timeouts: { idleMs: 2000 }, persistSession: true },
    }),
    becomes: {
      code: "timeout",
      message: /The CLI sent nothing more for 2000 ms/,
      phase: "idle",
      hint: "Try again, or raise `timeouts.idleMs`.",
      resumable: true,
      partialText: "Half an answer",
    },
  },
  {
    cause: "The whole call takes too long (`timeouts.totalMs`)",
    attempt: attempting({ replies: [hang()], options: { timeouts: { totalMs: 10_000 } } }),
    becomes: {
      code: "timeout",
      message: /The whole call took longer than 10000 ms/,
      phase: "total",
      hint: "Try again, or raise `timeouts.totalMs`.",
      resumable: false,
    },
  },
  {
    cause: "The API is silent for longer than `retry.apiTimeoutMs`",
    elsewhere: "phases.test.ts",
    attempt: attempting({
      replies: always(hang()),
      options: { retry: { cliRetries: 0, apiTimeoutMs: 1500 } },
    }),
    becomes: { code: "api_error", message: /timed out/, resumable: false },
  },
  {
    cause: "The caller aborts before the call begins",
    attempt: attempting({ options: { signal: AbortSignal.abort(REASON) } }),
    becomes: { code: "aborted", message: /aborted/, reason: REASON },
    mostCalls: 0,
  },
  aborting(),
  {
    cause: "The caller aborts after the answer, without effect",
    attempt: async (path) => {
      const controller = new AbortController();
      const { signal } = controller;
      const tried = await attempting({ replies: ["An answer."], options: { signal } })(path);
      controller.abort(REASON);
      return tried;
    },
    attemptIn: async (shared) => {
      const controller = new AbortController();
      const { signal } = controller;
      const tried = await attemptingIn({ replies: ["An answer."], options: { signal } })(shared);
      controller.abort(REASON);
      return tried;
    },
    becomes: { text: "An answer.", stop: "completed" },
  },
  {
    cause: "The CLI is killed in mid-answer",
    attempt: attempting({
      replies: [hang("Half an answer")],
      meanwhile: async (_, { textStream }) => {
        for await (const _piece of textStream) kill();
      },
    }),
    becomes: {
      code: "process_exited",
      message: /ended by signal SIGKILL/,
      signal: "SIGKILL",
      resumable: false,
      partialText: "Half an answer",
    },
  },
  {
    cause: "The CLI is killed while a tool runs, with `persistSession: true`",
    elsewhere: "phases.test.ts",
    attempt: attempting({
      replies: [["I run it. ", endless()]],
      options: { ...BASH, persistSession: true },
      meanwhile: async ({ cwd, configDir }) => {
        await until(() => existsSync(join(cwd, "begun")));
        await until(() => transcriptIn(configDir).includes('"type":"user"'));
        kill();
      },
    }),
    becomes: {
      code: "process_exited",
      message: /ended by signal SIGKILL/,
      signal: "SIGKILL",
      resumable: true,
      partialText: "I run it. ",
    },
  },
  {
    cause: "The CLI exits with a code of its own before the result",
    attempt: faking([{ init: {} }, { assistant: "Half" }, { stderr: "lost it\n" }, { exit: 3 }]),
    becomes: {
      code: "process_exited",
      message: /ended with exit code 3: lost it/,
      exitCode: 3,
      stderrTail: "lost it",
      resumable: false,
      partialText: "Half",
    },
  },
  {
    cause: "The answer is longer than `maxLineBytes`",
    attempt: attempting({
      replies: [LONG],
      options: { maxLineBytes: 65_536 },
    }),
    becomes: {
      code: "message_too_large",
      message: /A message of 7\d{4} bytes is longer than `maxLineBytes`/,
      resumable: false,
      partialText: LONG,
    },
    // The older CLI does not report the end of a turn, so that its exit ends the call.
    onOlder: {
      code: "message_too_large",
      message: /A message of 7\d{4} bytes is longer than `maxLineBytes`/,
      resumable: false,
      exitCode: 0,
      partialText: LONG,
    },
  },
  {
    cause: "The messages of a stream are read twice",
    elsewhere: "completion-stream.test.ts",
    attempt: attempting({
      replies: ["An answer."],
      meanwhile: async (_, call) => {
        call[Symbol.asyncIterator]();
        call[Symbol.asyncIterator]();
      },
    }),
    becomes: {
      code: "already_consumed",
      message: /A stream can be read only once, and this one is being read or was read already\./,
    },
  },
];

function aborting(): Cause {
  return {
    cause: "The caller aborts in mid-answer",
    attempt: (path) => {
      const controller = new AbortController();
      return attempting({
        replies: [hang("Half an answer")],
        options: { signal: controller.signal },
        meanwhile: async (_, { textStream }) => {
          for await (const _piece of textStream) controller.abort(REASON);
        },
      })(path);
    },
    becomes: {
      code: "aborted",
      message: /aborted/,
      reason: REASON,
      resumable: false,
      partialText: "Half an answer",
    },
  };
}
