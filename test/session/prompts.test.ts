import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { always, type RecordedRequest } from "../../src/testing/index.js";
import type { Prompt } from "../../src/wire/index.js";
import { NEWEST_CLI } from "../support/cli.js";
import { describeInTurn } from "../support/in-turn.js";
import { open } from "../support/open-session.js";

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

describeInTurn("a prompt of a session on $name", ({ path }) => {
  it("takes images and documents to the model", async () => {
    const { session, model } = await open(path, always("a pixel"));
    expect(await session.send(ATTACHED as Prompt).text()).toBe("a pixel");
    expect(told(model.calls[0] as RecordedRequest)).toEqual([...ATTACHED]);
  });

  it("is taken as it stands, if it is to be literal", async () => {
    const { session, model, cwd } = await open(path, always("ok"), { literalPrompt: true });
    writeFileSync(join(cwd, "secret.txt"), "the secret");
    const { id } = session;
    for (const prompt of ["/clear", "read @secret.txt"]) await session.send(prompt).text();
    expect(model.calls.map(({ prompt }) => prompt)).toEqual(["/clear", "read @secret.txt"]);
    expect(JSON.stringify(model.calls.at(-1)?.body)).not.toContain("the secret");
    expect(session.id).toBe(id);
  });

  it("runs a command of the CLI: /clear begins another conversation in the same process", async () => {
    const { session, model } = await open(path, always("ok"));
    const { id, pid } = session;
    await session.send("remember the word plum").text();
    const { result } = await session.send("/clear").result;
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
