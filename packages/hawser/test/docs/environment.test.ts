import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { buildInvocation, LEAN, type Options } from "../../src/options/index.js";
import { ClaudeCliProvider, ClaudeCodeProvider } from "../../src/providers/index.js";
import { type FakeCli, fakeCli } from "../../src/testing/index.js";
import { CASES } from "../options/cases.helper.js";
import { HOST, NEWEST, OLDER } from "../options/facts.helper.js";
import { PACKAGE } from "../support/folders.js";
import { startsOf } from "../support/starts.js";
import { readPage } from "./page.helper.js";

type Env = Readonly<Record<string, string | undefined>>;

/** Another folder than that of this program. */
const FOLDER = realpathSync(tmpdir());

const CONTEXT = { systemPrompt: "", history: [], currentMessage: "Hello." };

/**
 * Set only for a session that is resumed from a store, and for another user of the machine, or one
 * without a home: cases that cannot be had here.
 */
const ELSEWHERE = ["CLAUDE_SECURESTORAGE_CONFIG_DIR", "HOME"];

describe("the environment of the CLI in docs/deployment.md", () => {
  const named = variablesIn(sectionOf("docs/deployment.md", "## The environment of the CLI"));

  it("names exactly the variables that are removed, added or changed", async () => {
    const changed = new Set([...byOptions(), ...(await byProcesses()), ...ELSEWHERE]);
    expect([...changed].sort()).toEqual([...named].sort());
  });

  it("is derived from the code: a variable that is removed is found, and a family of them", () => {
    const found = byOptions();
    expect(found).toContain("NODE_OPTIONS");
    expect(found).toContain("CLAUDE_CODE_MESSAGING_*");
  });
});

describe("the environment of Omega's provider in docs/source-systems.md", () => {
  it("names exactly the variables that its calls remove, add or change", async () => {
    const row = readPage("docs/source-systems.md")
      .split("\n")
      .filter((line) => line.startsWith("| no other variable is modified |"));
    expect(row).toHaveLength(1);
    for (const name of ["NODE_OPTIONS", "CLAUDECODE", "AI_AGENT", "CLAUDE_EFFORT"]) {
      vi.stubEnv(name, "");
    }
    onTestFinished(() => void vi.unstubAllEnvs());
    const cli = await fake();
    for (const allowedTools of [["Bash"], []]) {
      const options = { cliPath: cli.path, allowedTools, workingDir: FOLDER };
      await new ClaudeCodeProvider(options).complete(CONTEXT);
    }
    const changed = new Set((await startsOf(cli)).flatMap(({ env }) => changes(process.env, env)));
    expect([...changed].sort()).toEqual([...variablesIn(row.join())].sort());
  });
});

/** What any option changes, on any platform and CLI, inside a session and outside. */
function byOptions(): Set<string> {
  const given = Object.entries(CASES)
    // What these do to the environment is what they say.
    .filter(([name]) => name !== "env" && name !== "inheritEnv")
    .flatMap(([, cases]) => cases.map(({ options }) => options));
  const full = Object.fromEntries([...namesInSource()].map((name) => [name, "of the host"]));
  const outside = { ...full, CLAUDECODE: undefined, GIT_CONFIG_COUNT: "1" };
  const found = new Set<string>();
  for (const options of [...given, LEAN] as Options[]) {
    for (const cli of [NEWEST, OLDER]) {
      for (const platform of ["linux", "win32"] as const) {
        for (const env of [{}, full, outside] as Env[]) {
          const wanted = { onOldCli: "ignore", nested: "strip", ...options } as const;
          if (options.nested === "error") continue;
          const { env: made } = buildInvocation(wanted, cli, {
            ...HOST,
            env,
            platform,
            pwd: FOLDER,
          });
          for (const name of changes(env, made)) found.add(name);
        }
      }
    }
  }
  return found;
}

/** What is changed where a process is started, and by the providers. */
async function byProcesses(): Promise<string[]> {
  const cli = await fake();
  const cliPath = cli.path;
  await new ClaudeCodeProvider({ cliPath, rawText: true }).complete(CONTEXT);
  await new ClaudeCliProvider("opus", { cliPath, nested: "strip" }).complete("s", "u", {
    maxTokens: 9,
  });
  return (await startsOf(cli)).flatMap(({ env }) => changes(process.env, env));
}

async function fake(): Promise<FakeCli> {
  const cli = await fakeCli();
  onTestFinished(() => cli.dispose());
  return cli;
}

/** Numbers and names at the end of a family of variables are written as a star. */
function changes(before: Env, after: Env): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => before[name] !== after[name])
    .map((name) => name.replace(/^(GIT_CONFIG_(?:KEY|VALUE)_|CLAUDE_CODE_MESSAGING_).*/, "$1*"));
}

/** Every name in the source that may be a variable, so that a removal is seen whichever it is of. */
function namesInSource(): Set<string> {
  const folder = join(PACKAGE, "src/options");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const source = files
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(join(folder, file), "utf8"))
    .join("\n");
  const names = [...source.matchAll(/"([A-Z][A-Z0-9_]{3,})"/g)].map(([, name = ""]) => name);
  return new Set(names.map((name) => (name.endsWith("_") ? `${name}X` : name)));
}

function sectionOf(page: string, heading: string): string {
  const [, rest = ""] = readPage(page).split(`${heading}\n`);
  return rest.split("\n## ")[0] ?? "";
}

/** The names in the first column of a table, or in a row. */
function variablesIn(text: string): Set<string> {
  const rows = text.split("\n").filter((line) => line.startsWith("| "));
  const cells = rows.length === 1 ? rows : rows.map((row) => row.split(" | ")[0] ?? "");
  const plain = cells.join(" ").replaceAll("\\*", "*");
  return new Set(
    plain.match(/\b(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9*]+)+|CLAUDECODE|HOME|PWD|NoDefault\w+)(?![\w*])/g),
  );
}
