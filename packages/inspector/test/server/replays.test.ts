import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { maskedLines } from "../../src/masked-lines.js";
import { Replays } from "../../src/replays.js";
import { CommandWorld } from "./command-world.helper.js";
import { jsonOf } from "./json-of.helper.js";

const folder = mkdtempSync(join(tmpdir(), "replays-"));
afterAll(() => rmSync(folder, { recursive: true }));

const plain = (text: string) => text;

async function textOf(body: ReadableStream<Uint8Array> | undefined): Promise<string | undefined> {
  return body === undefined ? undefined : new Response(body).text();
}

describe("Replays", () => {
  it("lists files by number, and gives their text as it is now", async () => {
    const file = join(folder, "session.jsonl");
    writeFileSync(file, '{"type":"user"}\n');
    const replays = await Replays.open([file], plain);
    expect(await replays.list()).toEqual([{ id: "1", name: "session.jsonl", bytes: 16 }]);
    writeFileSync(file, '{"type":"user"}\n{"type":"assistant"}\n');
    expect(await textOf(await replays.read("1"))).toBe('{"type":"user"}\n{"type":"assistant"}\n');
    writeFileSync(file, "");
    expect(await textOf(await replays.read("1"))).toBe("");
    for (const id of ["0", "2", "1.5", "-1", "../session.jsonl", "constructor"]) {
      expect(await replays.read(id)).toBeUndefined();
    }
  });

  it.each(["none.jsonl", "."])(
    "refuses %s, which is no file, with `invalid_options`",
    async (name) => {
      await expect(Replays.open([join(folder, name)], plain)).rejects.toMatchObject({
        code: "invalid_options",
        hint: expect.stringContaining("cassette"),
      });
    },
  );

  it.each([
    ["a program", "#!/bin/sh\necho hello\n"],
    ["one JSON value that is no object", "[1]\n"],
    ["an object that goes over several lines", '{\n  "name": "hawser"\n}\n'],
    ["a long text", "x".repeat(200_000)],
  ])("refuses a file with %s with `invalid_options`", async (_name, text) => {
    const file = join(folder, "other.txt");
    writeFileSync(file, text);
    await expect(Replays.open([file], plain)).rejects.toMatchObject({
      code: "invalid_options",
      message: expect.stringContaining("holds no JSON lines"),
    });
  });

  it("takes an empty file, and one whose first line is very long", async () => {
    const file = join(folder, "first.jsonl");
    for (const text of ["", "\n", JSON.stringify({ text: "x".repeat(200_000) })]) {
      writeFileSync(file, text);
      expect(await Replays.open([file], plain)).toBeInstanceOf(Replays);
    }
  });

  it("reads a large file as fast as the client does, in little memory", async () => {
    const file = join(folder, "large.jsonl");
    const line = `${JSON.stringify({ text: "x".repeat(100_000) })}\n`;
    writeFileSync(file, "");
    for (let n = 0; n < 1000; n += 1) appendFileSync(file, line);
    let masked = 0;
    const replays = await Replays.open([file], (text) => {
      masked += text.length;
      return text;
    });
    const bodies = await Promise.all(Array.from({ length: 10 }, () => replays.read("1")));
    const readers = bodies.map((body) => body?.getReader());
    for (const reader of readers) await reader?.read();
    // Ten clients have begun to read, and 100 MB were read for none of them.
    expect(masked).toBeLessThan(10 * 2 ** 20);
    for (const reader of readers.slice(1)) await reader?.cancel();
    let bytes = 0;
    for (;;) {
      const { done, value } = (await readers[0]?.read()) ?? { done: true };
      if (done || value === undefined) break;
      bytes += value.byteLength;
    }
    expect(bytes).toBeGreaterThan(line.length * 990);
  });
});

describe("maskedLines()", () => {
  const mask = (text: string) => text.replaceAll("secret", "***");

  async function linesOf(pieces: readonly string[], mostBytes?: number): Promise<string> {
    async function* chunks() {
      for (const piece of pieces) yield Buffer.from(piece);
    }
    let text = "";
    for await (const part of maskedLines(chunks(), mask, mostBytes)) text += Buffer.from(part);
    return text;
  }

  it("masks a secret wherever the file is cut, and any cut gives the same text", async () => {
    const text = 'a secret b\nsecret\n\nü "secretsecret" and no end: secret';
    for (let first = 0; first <= text.length; first += 1) {
      for (let second = first; second <= text.length; second += 5) {
        const pieces = [text.slice(0, first), text.slice(first, second), text.slice(second)];
        expect(await linesOf(pieces)).toBe(mask(text));
      }
    }
  });

  it("replaces a line that is too long, and no other", async () => {
    const long = "x".repeat(300);
    const expected = 'a\n{"type":"left_out","bytes":301}\nb\n';
    const text = `a\n${long}\nb\n`;
    for (let size = 1; size < 250; size += 7) {
      const count = Math.ceil(text.length / size);
      const pieces = Array.from({ length: count }, (_, at) =>
        text.slice(at * size, (at + 1) * size),
      );
      expect(await linesOf(pieces, 250)).toBe(expected);
    }
  });
});

describe("GET /replays", { timeout: 300_000 }, () => {
  it("gives the files of the command line with secrets masked, also to a token that may only look", async ({
    onTestFinished,
  }) => {
    const world = new CommandWorld();
    onTestFinished(() => world.close());
    const file = join(world.folder, "session.jsonl");
    const secret = `sk-ant-api03-${"s".repeat(40)}`;
    writeFileSync(file, `${JSON.stringify({ type: "user", text: `The key is ${secret}.` })}\n`);
    for (const flags of [[], ["--read-only"]]) {
      const { first } = await world.inspect("--port", "0", ...flags, file);
      const { origin, hash } = new URL(first.url);
      const headers = { authorization: `Bearer ${hash.replace("#token=", "")}` };
      expect(await jsonOf(fetch(`${origin}/replays`, { headers }))).toMatchObject([
        { id: "1", name: "session.jsonl" },
      ]);
      const response = await fetch(`${origin}/replays/1`, { headers });
      expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
      expect(await response.text()).toBe('{"type":"user","text":"The key is ***."}\n');
      for (const id of ["0", "2", "..%2f..%2fetc%2fpasswd"]) {
        expect((await fetch(`${origin}/replays/${id}`, { headers })).status).toBe(404);
      }
    }
    // A file that is gone is an error that says what to do, and the server goes on.
    const { first } = await world.inspect("--port", "0", file);
    const { origin, hash } = new URL(first.url);
    const headers = { authorization: `Bearer ${hash.replace("#token=", "")}` };
    rmSync(file);
    const gone = await fetch(`${origin}/replays/1`, { headers });
    expect(gone.status).toBe(500);
    expect((await jsonOf(gone)).error.code).toBe("invalid_options");
    expect((await fetch(`${origin}/sources`, { headers })).status).toBe(200);
  });
});
