import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Options } from "../../src/options/index.js";
import type { SendOptions } from "../../src/session/index.js";
import { always, type RecordedRequest } from "../../src/testing/index.js";
import type { Prompt } from "../../src/wire/index.js";
import { clisInTurn, NEWEST_CLI } from "../support/cli.js";
import { open } from "../support/open-session.js";

/** A skill of the project whose file runs a command as soon as the skill is loaded. */
function plantSkill(cwd: string): void {
  const folder = join(cwd, ".claude/skills/planted");
  mkdirSync(folder, { recursive: true });
  const head = "---\nname: planted\ndescription: d\nallowed-tools: Bash(touch *)\n---\n";
  writeFileSync(join(folder, "SKILL.md"), `${head}State: !\`touch made\`\n`);
}

type Block = Readonly<Record<string, unknown>>;

/** What the user said at the model, less the notes that the CLI puts around it. */
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

describe.each(clisInTurn())("a prompt of a session on $name", ({ path }) => {
  it("takes images and documents to the model", async () => {
    const { session, model } = await open(path, always("a pixel"));
    expect(await session.send(ATTACHED as Prompt).text()).toBe("a pixel");
    expect(told(model.calls[0] as RecordedRequest)).toEqual([...ATTACHED]);
  });

  it.each<[string, Options]>([
    ["by default", {}],
    ["with literalPrompt", { literalPrompt: true }],
    ["with a policy that allows everything", { rules: [{ tool: "*", decision: "allow" }] }],
  ])("is data, %s: it runs no command or skill and reads no file", async (_, more) => {
    const { session, model, cwd, made } = await open(path, always("ok"), (folder) => {
      plantSkill(folder);
      return { trustProject: true, ...more };
    });
    const secret = join(cwd, "secret.txt");
    writeFileSync(secret, "the secret");
    const { id } = session;
    const prompts = ["/clear", "/planted", `read @secret.txt and @${secret}`, "!touch made"];
    for (const prompt of prompts) await session.send(prompt).text();
    expect(model.calls.map(({ prompt }) => prompt)).toEqual(prompts);
    expect(JSON.stringify(model.calls.at(-1)?.body)).not.toContain("the secret");
    expect(made("made")).toBe(false);
    expect(session.id).toBe(id);
  });

  it.each<[string, Options, SendOptions]>([
    ["send() has commands: true", {}, { commands: true }],
    ["the session has literalPrompt: false", { literalPrompt: false }, {}],
  ])("is for the CLI to act on when %s", async (_, more, how) => {
    const { session, model, cwd, made } = await open(path, always("ok"), (folder) => {
      plantSkill(folder);
      return { trustProject: true, ...more };
    });
    writeFileSync(join(cwd, "secret.txt"), "the secret");
    await session.send("read @secret.txt", how).text();
    expect(JSON.stringify(model.calls.at(-1)?.body)).toContain("the secret");
    await session.send("/planted", how).text();
    expect(made("made")).toBe(true);
  });

  it("stays data with commands: false in a session that has literalPrompt: false", async () => {
    const { session, model } = await open(path, always("ok"), { literalPrompt: false });
    await session.send("/clear", { commands: false }).text();
    expect(model.calls.map(({ prompt }) => prompt)).toEqual(["/clear"]);
  });

  it("is no command of command() unless it begins with a slash and a name", async () => {
    const { session } = await open(path, always("ok"));
    for (const text of ["compact", "", " /clear", "/", "/ clear", "//clear"]) {
      expect(() => session.command(text)).toThrow(
        expect.objectContaining({ code: "invalid_options", hint: expect.stringContaining("send") }),
      );
    }
  });

  it("can be followed by command(): /clear begins another conversation in the process", async () => {
    const { session, model } = await open(path, always("ok"));
    const { id, pid } = session;
    await session.send("remember the word plum").text();
    const { result } = await session.command("/clear").result;
    // An older CLI has something to say about it.
    expect(["", "(no content)"]).toContain(result);
    expect(session.id).not.toBe(id);
    await session.send("which word?").text();
    expect(JSON.stringify(model.calls[0]?.body)).toContain("plum");
    expect(JSON.stringify(model.calls[1]?.body)).not.toContain("plum");
    expect(session.pid).toBe(pid);
  });

  it("is only added to the conversation, if the model is not to be asked", async () => {
    const { session, model } = await open(path, always("plum"));
    const first = session.send("The word is plum.", { shouldQuery: false });
    expect(await first.result).toMatchObject({ subtype: "success", num_turns: 0, result: "" });
    expect(model.calls).toEqual([]);
    expect(await session.send("Which word?").text()).toBe("plum");
    expect(told(model.calls[0] as RecordedRequest).map(({ text }) => text)).toEqual([
      "The word is plum.",
      "Which word?",
    ]);
  });

  it("is refused if it says nothing, or was sent before", async () => {
    const { session } = await open(path, always("ok"));
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
});

describe("a prompt that is to be verbatim", () => {
  it("is taken as it stands by the newest CLI", async () => {
    const { session, model } = await open(NEWEST_CLI, always("ok"), { verbatimPrompts: true });
    expect(await session.send("/clear").text()).toBe("ok");
    expect(model.calls.map(({ prompt }) => prompt)).toEqual(["/clear"]);
  });
});
