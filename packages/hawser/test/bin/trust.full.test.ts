import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { HAWSER, hawserIn, KEYS, place } from "../support/pty.js";

interface Project {
  readonly cwd: string;
  readonly env: Record<string, string>;
  /** Where the answers about folders are kept. */
  readonly memory: string;
  /** Names of what the project's files made run. */
  ran(): string[];
}

/** A folder whose settings run a program at the start of a session. */
function hostileProject(): Project {
  const { cwd, env } = place();
  const traces = join(env["HOME"] ?? "", "traces");
  mkdirSync(traces);
  mkdirSync(join(cwd, ".claude"));
  const hook = { type: "command", command: `touch ${join(traces, "hook")}` };
  const settings = { hooks: { SessionStart: [{ hooks: [hook] }] } };
  writeFileSync(join(cwd, ".claude/settings.json"), JSON.stringify(settings));
  const memory = join(env["HOME"] ?? "", ".config/hawser/trust.json");
  return { cwd, env, memory, ran: () => readdirSync(traces) };
}

/** What the command tells the terminal when it begins to read keys, and when it ends. */
const KEYS_TAKEN = "\x1b[?2004h";
const KEYS_GIVEN_BACK = "\x1b[?2004l";

const QUESTION = "Do you trust the files in this folder?";
const REFUSAL = "This folder is not trusted";

/** Where no CLI is installed: enough where only the question of the command is the subject. */
function onStandIn({ env, ...project }: Project): Project {
  return { ...project, env: { ...env, HAWSER_CLI: "/nowhere/claude" } };
}

/** Leaves the chat when it is ready for a prompt. */
async function chat(project: Project, answer?: string): Promise<string> {
  const pty = hawserIn(project, "chat", "--offline");
  if (answer !== undefined) {
    await pty.shows(QUESTION);
    await pty.shows(".claude/settings.json");
    await pty.shows("[y]es");
    expect(project.ran()).toEqual([]);
    pty.enter(answer);
  }
  await pty.shows("/exit to leave");
  await pty.shows("\n>");
  pty.enter("/exit");
  expect((await pty.exit).code).toBe(0);
  return pty.text;
}

async function askAgent(
  project: Project,
  ...more: string[]
): Promise<{ code: number; err: string }> {
  const args = [HAWSER, "ask", "--agent", "--offline", ...more, "hello"];
  const { cwd, env } = project;
  const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const [[code], err] = await Promise.all([
    once(child, "exit"),
    text(child.stderr),
    text(child.stdout),
  ]);
  return { code, err };
}

describe("hawser chat in a folder with settings of its own", () => {
  it("asks once before anything runs, and remembers a yes for the folder and those below", async () => {
    const project = hostileProject();
    await chat(project, "y");
    expect(project.ran()).toEqual(["hook"]);
    expect(await chat(onStandIn(project))).not.toContain(QUESTION);
    const below = join(project.cwd, "below");
    mkdirSync(below);
    expect(await chat(onStandIn({ ...project, cwd: below }))).not.toContain(QUESTION);
  });

  it("runs nothing of the folder after a no, and remembers the no", async () => {
    const project = hostileProject();
    await chat(onStandIn(project), "n");
    const again = await chat(project);
    expect(again).not.toContain(QUESTION);
    expect(again).toContain(REFUSAL);
    expect(project.ran()).toEqual([]);
  });

  it("exits at Ctrl-C without running anything, and asks again the next time", async () => {
    const project = hostileProject();
    const pty = hawserIn(project, "chat", "--offline");
    await pty.shows("[y]es");
    await pty.shows("\n  >");
    // Ctrl-C is a key by now. As a signal it would end the program without an exit code.
    const before = pty.raw.slice(0, pty.raw.lastIndexOf("  > "));
    expect(before.lastIndexOf(KEYS_TAKEN)).toBeGreaterThan(before.lastIndexOf(KEYS_GIVEN_BACK));
    pty.type(KEYS.ctrlC);
    expect((await pty.exit).code).toBe(130);
    expect(project.ran()).toEqual([]);
    await chat(onStandIn(project), "n");
  });

  it("trusts no folder when trust.json cannot be read, and leaves that file as it is", async () => {
    const project = hostileProject();
    mkdirSync(join(project.memory, ".."), { recursive: true });
    writeFileSync(project.memory, "{ broken");
    expect(await chat(project)).toContain("trust.json cannot be read");
    expect(project.ran()).toEqual([]);
    expect(readFileSync(project.memory, "utf8")).toBe("{ broken");
  });

  it("does not ask in a folder without such files", async () => {
    const { cwd, env } = place();
    writeFileSync(join(cwd, "CLAUDE.md"), "Be brief.");
    expect(await chat(onStandIn({ cwd, env, memory: "", ran: () => [] }))).not.toMatch(/trust/i);
  });
});

describe("hawser ask --agent in a pipe", () => {
  it("runs nothing of an untrusted folder, and names --trust", async () => {
    const project = hostileProject();
    const { code, err } = await askAgent(project);
    expect(code).toBe(0);
    expect(err).toContain("--trust");
    expect(project.ran()).toEqual([]);
  });

  it("lets the settings of the folder take effect with --trust", async () => {
    const project = hostileProject();
    const { code, err } = await askAgent(project, "--trust");
    expect(code).toBe(0);
    expect(err).not.toContain(REFUSAL);
    expect(project.ran()).toEqual(["hook"]);
  });
});
