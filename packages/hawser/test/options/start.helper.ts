import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildInvocation, type Options, type Version } from "../../src/options/index.js";

export interface Ended {
  readonly code: number | null;
  /** The answers to initialize and to the requests behind it. */
  readonly answers: readonly Answer[];
  readonly stderr: string;
  readonly expectedDenyRules: number;
}

export interface Answer {
  readonly subtype: string;
  readonly response?: Readonly<Record<string, unknown>>;
}

/** Starts the real CLI with these options, sends initialize and these requests, ends its input. */
export async function start(
  options: Options,
  path: string,
  version: Version,
  subtypes: readonly string[] = [],
): Promise<Ended> {
  const cwd = await mkdtemp(join(tmpdir(), "hawser-flags-"));
  try {
    const privateDir = join(cwd, "private");
    const { platform, execPath } = process;
    const host = { env: isolated(cwd), platform, execPath, privateDir };
    const invocation = buildInvocation(options, { path, version }, host);
    await mkdir(privateDir);
    for (const { path: file, contents } of invocation.files) await writeFile(file, contents);
    const requests = [invocation.initialize, ...subtypes.map((subtype) => ({ subtype }))];
    const lines = requests.map((request, i) =>
      JSON.stringify({ type: "control_request", request_id: `r${i}`, request }),
    );
    const { argv, env, expectedDenyRules } = invocation;
    const ended = await run(path, argv, { cwd, env }, `${lines.join("\n")}\n`);
    return { ...ended, expectedDenyRules };
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}

function isolated(place: string): Record<string, string> {
  return {
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
}

function run(
  file: string,
  argv: readonly string[],
  place: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  input: string,
): Promise<Omit<Ended, "expectedDenyRules">> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, argv, place);
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.stdin.on("error", () => {}); // It may end before it has read its input.
    child.stdin.end(input);
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, answers: answersIn(stdout), stderr }));
  });
}

function answersIn(stdout: string): Answer[] {
  const lines = stdout.split("\n").filter((line) => line.startsWith("{"));
  const messages = lines.map((line) => JSON.parse(line));
  return messages
    .filter(({ type }) => type === "control_response")
    .map(({ response }) => response as Answer);
}
