import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { complete } from "../../src/complete/index.js";
import { attempting, attemptingIn, type Cause } from "./failure-cases.helper.js";

const NOBODY = "11111111-2222-4333-8444-555555555555";
const SOMEBODY = "66666666-7777-4888-9999-aaaaaaaaaaaa";
const GONE = "/no/such/place";
const isRoot = process.getuid?.() === 0;

/** Failures before a call starts. */
export const AT_THE_START: readonly Cause[] = [
  {
    cause: "The executable does not exist",
    attempt: attempting({ options: { cliPath: GONE } }),
    becomes: {
      code: "cli_not_found",
      message: /there is no file \/no\/such\/place/,
      hint: "Correct `cliPath`, or leave it unset to search the usual places.",
      issues: [{ path: "cliPath", message: `there is no file ${GONE}` }],
    },
  },
  {
    cause: "The executable is a folder",
    attempt: attempting({ options: { cliPath: tmpdir() } }),
    becomes: {
      code: "cli_not_runnable",
      message: /is a directory/,
      issues: [{ path: "cliPath", message: `${tmpdir()} cannot be run: it is a directory` }],
    },
  },
  {
    cause: "The working directory does not exist",
    attempt: attempting({ options: { cwd: GONE } }),
    becomes: {
      code: "cwd_not_found",
      message: /The working directory \/no\/such\/place does not exist/,
    },
  },
  {
    cause: "The working directory is a file",
    attempt: attempting({ options: { cwd: process.execPath } }),
    becomes: {
      code: "cwd_not_found",
      message: /The working directory .+ is not a directory/,
    },
  },
  {
    cause: "The folder for temporary files is not writable",
    attempt: attempting({
      options: async ({ home }) => {
        const file = join(home, "not-a-folder");
        await writeFile(file, "");
        vi.stubEnv("TMPDIR", file);
        return { mcpServers: { x: { command: "true", env: { X_TOKEN: "a-secret-token" } } } };
      },
    }),
    becomes: {
      code: "spawn_failed",
      message: /A temporary folder cannot be written: ENOTDIR/,
      hint: "Make the folder for temporary files writable, or set TMPDIR to a writable folder.",
    },
  },
  {
    cause: "An option does not exist",
    attempt: attempting({ options: { modle: "opus" } as never }),
    becomes: {
      code: "invalid_options",
      message: /modle is not an option; did you mean model/,
      hint: "Use `model`.",
      issues: [{ path: "modle", message: "is not an option; did you mean model?" }],
    },
  },
  {
    cause: "The prompt is empty",
    attempt: attempting({ prompt: " " }),
    becomes: {
      code: "invalid_options",
      message: /The prompt is empty/,
      hint: "Pass a string or an array of content blocks that is not empty.",
      issues: [{ path: "prompt", message: "is empty" }],
    },
  },
  {
    cause: "An option of pools is used without a pool (`tenant`)",
    attempt: attempting({ options: { tenant: "x" } }),
    becomes: {
      code: "invalid_options",
      message: /tenant needs a pool in stream\(\)/,
      hint: "Call pool.stream(), pass a pool as `pool`, or leave tenant out.",
      issues: [{ path: "tenant", message: "has no effect in stream() without a pool" }],
    },
  },
  {
    cause: "An argument of 200 KB (`extraArgs`)",
    attempt: attempting({ options: { extraArgs: { name: "x".repeat(200_000) } } }),
    becomes: {
      code: "argument_too_long",
      message: /extraArgs is too long: the command line would take 200\d{3} bytes/,
      hint: "Shorten `extraArgs`: the command line must stay under 8192 bytes.",
      issues: [{ path: "extraArgs", message: expect.stringMatching(/200\d{3} bytes long/) }],
    },
  },
  {
    cause: "A prompt of 1 MB",
    attempt: attempting({ replies: ["Long indeed."], prompt: "knot ".repeat(200_000) }),
    attemptIn: attemptingIn({ replies: ["Long indeed."], prompt: "knot ".repeat(200_000) }),
    becomes: { text: "Long indeed.", stop: "completed" },
  },
  {
    cause: "A prompt of 12 MB",
    elsewhere: "the rows of the API with prompt_too_long",
    attempt: attempting({ replies: ["Long indeed."], prompt: "knot ".repeat(2_400_000) }),
    becomes: { code: "prompt_too_long", message: /Prompt is too long/, resumable: false },
    onOlder: { text: "Long indeed.", stop: "completed" },
  },
  {
    cause: "The CLI does not know a flag (`extraArgs`)",
    elsewhere: "failures.test.ts",
    attempt: attempting({ options: { extraArgs: { "no-such-flag": null } } }),
    becomes: {
      code: "unsupported_by_cli",
      message: /unknown option '--no-such-flag'/,
      exitCode: 1,
      stderrTail: "error: unknown option '--no-such-flag'",
      resumable: false,
    },
  },
  {
    cause: "An option needs CLI 2.1.248 or newer (`verbatimPrompts`)",
    elsewhere: "options/old-cli.test.ts",
    attempt: attempting({ replies: ["An answer."], options: { verbatimPrompts: true } }),
    becomes: { text: "An answer.", stop: "completed" },
    onOlder: {
      code: "unsupported_by_cli",
      message: /verbatimPrompts needs Claude Code 2.1.248 or newer; this one is 2.1.197/,
      issues: [{ path: "verbatimPrompts", message: "needs 2.1.248" }],
    },
  },
  {
    cause: "The options skip permissions, and the user is root",
    attempt: attempting({
      options: { permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true },
    }),
    becomes: {
      code: "root_refused",
      message:
        /^The CLI refuses to skip permissions when it runs as root\. The CLI process ended with exit code 1: .*cannot be used with root/,
      exitCode: 1,
      stderrTail: expect.stringMatching(/cannot be used with root/),
      resumable: false,
    },
    skip: !isRoot,
  },
  {
    cause: 'This program runs inside a session of the CLI (`nested: "error"`)',
    attempt: attempting({
      options: () => {
        vi.stubEnv("CLAUDECODE", "1");
        return { nested: "error" };
      },
    }),
    becomes: {
      code: "nested_session",
      message: /inside a Claude Code session/,
    },
  },
  {
    cause: "The session to resume does not exist",
    attempt: attempting({ options: { resume: NOBODY, persistSession: true } }),
    becomes: {
      code: "session_not_found",
      message: new RegExp(NOBODY),
      exitCode: 1,
      stderrTail: `No conversation found with session ID: ${NOBODY}`,
      sessionId: NOBODY,
      resumable: false,
    },
  },
  {
    cause: "The id of the new session exists already",
    attempt: attempting({
      replies: ["First."],
      options: async ({ options }) => {
        const taken = { sessionId: SOMEBODY, persistSession: true };
        await complete("One.", { ...options, ...taken });
        return taken;
      },
    }),
    becomes: {
      code: "session_in_use",
      message:
        /^A session with this id already exists\. The CLI process ended with exit code 1: .*already in use/,
      exitCode: 1,
      stderrTail: `Error: Session ID ${SOMEBODY} is already in use.`,
      sessionId: SOMEBODY,
      resumable: false,
    },
  },
];
