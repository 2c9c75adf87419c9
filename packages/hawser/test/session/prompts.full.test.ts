import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Options } from "../../src/options/index.js";
import type { SendOptions } from "../../src/session/index.js";
import { always, type RecordedRequest } from "../../src/testing/index.js";
import type { Prompt } from "../../src/wire/index.js";
import { clisInTurn, NEWEST_CLI } from "../support/cli.js";
import { type SharedSession, sharedSession } from "./shared-session.helper.js";

/** A skill of the project whose file makes the file `made-<name>` as soon as the skill is loaded. */
function plantSkill(cwd: string, name: string): void {
  const folder = join(cwd, ".claude/skills", name);
  mkdirSync(folder, { recursive: true });
  const head = `---\nname: ${name}\ndescription: d\nallowed-tools: Bash(touch *)\n---\n`;
  writeFileSync(join(folder, "SKILL.md"), `${head}State: !\`touch made-${name}\`\n`);
}

/** A trusted project with two skills and two files, so that two tests can have one of each. */
function planted(more: Options): (cwd: string) => Options {
  return (cwd) => {
    for (const name of ["one", "two"]) {
      plantSkill(cwd, name);
      writeFileSync(join(cwd, `${name}.txt`), `the secret ${name}`);
    }
    return { trustProject: true, ...more };
  };
}

type Block = Readonly<Record<string, unknown>>;

/** What the user said to the model, without the notes that the CLI puts around it. */
function told({ body }: RecordedRequest): Block[] {
  const { messages } = body as { messages: { role: string; content: string | Block[] }[] };
  return messages
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) =>
      typeof content === "string" ? [{ type: "text", text: content }] : content,
    )
    .filter(({ text }) => !/^(<system-reminder>|\[Image: source)/.test(String(text ?? "")))
    .map(({ cache_control: _, ...block }) =>
      // The CLI ends each text but the last with a new line.
      typeof block["text"] === "string" ? { ...block, text: block["text"].trimEnd() } : block,
    );
}

/** One red pixel. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

const ATTACHED = [
  { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
  {
    type: "document",
    source: { type: "text", media_type: "text/plain", data: "the words of the document" },
    title: "notes",
  },
  { type: "text", text: "What is this?" },
] as const;

/** Sends prompts that look like commands and files, and checks that the model gets them as they are. */
async function staysData(shared: SharedSession): Promise<void> {
  const { session } = shared;
  shared.script(always("ok"));
  const { id } = session;
  const file = join(shared.cwd, "one.txt");
  const prompts = ["/clear", "/one", `read @one.txt and @${file}`, "!touch made-one"];
  for (const prompt of prompts) await session.send(prompt).text();
  expect(shared.calls.map(({ prompt }) => prompt)).toEqual(prompts);
  expect(JSON.stringify(shared.calls.at(-1)?.body)).not.toContain("the secret one");
  expect(shared.made("made-one")).toBe(false);
  expect(session.id).toBe(id);
}

/** Sends a prompt that names a file and one that names a skill, and checks that the CLI takes both. */
async function isForTheCli(shared: SharedSession, options: SendOptions): Promise<void> {
  const { session } = shared;
  shared.script(always("ok"));
  await session.send("read @two.txt", options).text();
  expect(JSON.stringify(shared.calls.at(-1)?.body)).toContain("the secret two");
  await session.send("/two", options).text();
  expect(shared.made("made-two")).toBe(true);
}

describe.each(clisInTurn())("Session.send() on $name", ({ path }) => {
  const shared = sharedSession(path, planted({}));

  it("takes images and documents to the model", async () => {
    shared.script("a pixel");
    expect(await shared.session.send(ATTACHED as Prompt).text()).toBe("a pixel");
    expect(told(shared.calls[0] as RecordedRequest).slice(-ATTACHED.length)).toEqual([...ATTACHED]);
  });

  it("only adds the prompt to the conversation with shouldQuery: false", async () => {
    shared.script("plum");
    const first = shared.session.send("The word is plum.", { shouldQuery: false });
    expect(await first.result).toMatchObject({ subtype: "success", num_turns: 0, result: "" });
    expect(shared.calls).toEqual([]);
    expect(await shared.session.send("Which word?").text()).toBe("plum");
    const texts = told(shared.calls[0] as RecordedRequest).map(({ text }) => text);
    expect(texts.slice(-2)).toEqual(["The word is plum.", "Which word?"]);
  });

  it("refuses an empty prompt, a bad block, an unknown option and a used uuid", async () => {
    const { session } = shared;
    shared.script("ok");
    const refusal = expect.objectContaining({ code: "invalid_options" });
    expect(() => session.send(" ")).toThrow(refusal);
    expect(() => session.send([])).toThrow(refusal);
    expect(() => session.send([{ type: "image" }])).toThrow("prompt[0].source is missing.");
    // @ts-expect-error: there is no such option.
    expect(() => session.send("hi", { tenant: "a" })).toThrow("options.tenant is not known.");
    const turn = session.send("hi");
    expect(() => session.send("again", { uuid: turn.uuid })).toThrow(refusal);
    expect(await turn.text()).toBe("ok");
  });

  it("treats the prompt as data by default: runs no command or skill and reads no file", async () => {
    await staysData(shared);
  });

  it("lets the CLI run skills and read files with commands: true", async () => {
    await isForTheCli(shared, { commands: true });
  });
});

describe.each(clisInTurn())("Session with literalPrompt: false on $name", ({ path }) => {
  const shared = sharedSession(path, planted({ literalPrompt: false }));

  it("lets the CLI run skills and read files of every prompt", async () => {
    await isForTheCli(shared, {});
  });

  it("treats a prompt with commands: false as data", async () => {
    shared.script("ok");
    await shared.session.send("/clear", { commands: false }).text();
    expect(shared.calls.map(({ prompt }) => prompt)).toEqual(["/clear"]);
  });

  it("refuses a text in command() that does not begin with a slash and a name", () => {
    for (const text of ["compact", "", " /clear", "/", "/ clear", "//clear"]) {
      expect(() => shared.session.command(text)).toThrow(
        expect.objectContaining({ code: "invalid_options", hint: expect.stringContaining("send") }),
      );
    }
  });

  it('begins another conversation in the same process by command("/clear")', async () => {
    const { session } = shared;
    shared.script(always("ok"));
    const { id, pid } = session;
    await session.send("remember the word plum").text();
    const { result } = await session.command("/clear").result;
    // The older CLI answers "(no content)".
    expect(["", "(no content)"]).toContain(result);
    expect(session.id).not.toBe(id);
    await session.send("which word?").text();
    expect(JSON.stringify(shared.calls[0]?.body)).toContain("plum");
    expect(JSON.stringify(shared.calls[1]?.body)).not.toContain("plum");
    expect(session.pid).toBe(pid);
  });
});

describe.each(clisInTurn())("literalPrompt on $name", ({ path }) => {
  const rules = [{ tool: "*", decision: "allow" }] as const;
  const shared = sharedSession(path, planted({ literalPrompt: true, rules }));

  it("keeps the prompt data although a policy allows everything", async () => {
    await staysData(shared);
  });
});

describe("verbatimPrompts", () => {
  const shared = sharedSession(NEWEST_CLI, { verbatimPrompts: true });

  it("has the newest CLI take the prompt as it stands", async () => {
    shared.script("ok");
    expect(await shared.session.send("/clear").text()).toBe("ok");
    expect(shared.calls.map(({ prompt }) => prompt)).toEqual(["/clear"]);
  });
});
