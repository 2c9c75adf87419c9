import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  buildInvocation,
  type CliFacts,
  type Options,
  OPTION_TABLE,
  type Version,
} from "../../src/options/index.js";
import { CLIS } from "../support/cli.js";
import { CASES, UUID } from "./cases.js";

interface Ended {
  readonly code: number | null;
  readonly stderr: string;
}

let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "hawser-flags-"));
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** Starts the CLI with these options and closes its input at once: it has nothing to do but start. */
async function start(options: Options, cli: CliFacts): Promise<Ended> {
  const place = await mkdtemp(join(home, "run-"));
  const env = {
    HOME: place,
    CLAUDE_CONFIG_DIR: join(place, ".claude"),
    ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
    ANTHROPIC_API_KEY: "sk-ant-dummy-000000",
    PATH: process.env["PATH"] ?? "",
    LANG: "C.UTF-8",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_AUTOUPDATER: "1",
    // The tests may run as root, and bypass is one of the modes to be tried.
    IS_SANDBOX: "1",
  };
  const privateDir = join(place, "private");
  const { platform, execPath } = process;
  const invocation = buildInvocation(options, cli, { env, platform, execPath, privateDir });
  await mkdir(privateDir);
  for (const { path, contents } of invocation.files) await writeFile(path, contents);
  return run(invocation.file, invocation.argv, invocation.env, place);
}

function run(
  file: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, argv, { cwd, env, stdio: ["pipe", "ignore", "pipe"] });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.stdin.on("error", () => {}); // It may end before it has seen the end of its input.
    child.stdin.end();
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stderr }));
  });
}

const OK = { code: 0, stderr: "" };

/** Options that the CLI knows, and that ask for what this place does not have. */
const OTHER_ENDS: Readonly<Record<string, RegExp>> = {
  resume: /No conversation found|No session found|not a UUID|not a valid/i,
  resumeSessionAt: /No conversation found/,
  resumeDropsTurn: /No conversation found/,
  sandbox: /sandbox/i,
};

/** Their values in the table of cases are names of files and flags that are not there. */
const OWN_CASES: Readonly<Record<string, readonly Options[]>> = {
  extraArgs: [{ extraArgs: { "replay-user-messages": null, "permission-mode-none": null } }],
};
