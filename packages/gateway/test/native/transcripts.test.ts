import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createNativeApi } from "../../src/native/create-native-api.js";

const SECRET = `sk-ant-api03-${"q".repeat(40)}`;

/** A configuration folder of the CLI with transcripts, and a native API that shows them. */
function storedWorld() {
  const configDir = mkdtempSync(join(tmpdir(), "native-transcripts-"));
  const folder = join(configDir, "projects", "-work");
  mkdirSync(folder, { recursive: true });
  const api = createNativeApi({ transcripts: { configDir }, watchesProgram: false });
  onTestFinished(async () => {
    await api.close();
    rmSync(configDir, { recursive: true });
  });
  return {
    /** The file of a transcript, or of a sub-agent below it. */
    write(name: string, lines: readonly (object | string)[], changedAt?: number): void {
      const file = join(folder, `${name}.jsonl`);
      mkdirSync(join(file, ".."), { recursive: true });
      const texts = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
      writeFileSync(file, texts.map((text) => `${text}\n`).join(""));
      if (changedAt !== undefined) utimesSync(file, changedAt, changedAt);
    },
    // biome-ignore lint/suspicious/noExplicitAny: a test reads any field of the answer.
    async get(path: string): Promise<{ readonly status: number; readonly body: any }> {
      const response = await api.fetch(new Request(`http://localhost/hawser/v1${path}`));
      return { status: response.status, body: await response.json() };
    },
  };
}

function idOf(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
}

function entry(n: number, parent: number | null, text: string, more = {}): object {
  const type = n % 2 === 1 ? "user" : "assistant";
  return {
    type,
    uuid: `u${n}`,
    parentUuid: parent === null ? null : `u${parent}`,
    message: { role: type, content: [{ type: "text", text }] },
    timestamp: "2026-01-02T03:04:05.000Z",
    cwd: "/work",
    sessionId: "s",
    isSidechain: false,
    ...more,
  };
}

/** A session with a compaction, a text that a rewind has left, and a sub-agent. */
function compacted(): readonly object[] {
  return [
    entry(1, null, "Tie a knot."),
    entry(2, 1, "A mistake."),
    entry(4, 1, "A sheepshank is tied."),
    { ...entry(10, null, ""), type: "system", compactMetadata: { trigger: "manual" } },
    entry(5, 10, "A summary.", { isCompactSummary: true }),
    entry(6, 5, "Go on."),
  ];
}

describe("GET /hawser/v1/sessions?stored=1", () => {
  it("pages through more than 500 transcripts, each once, while new ones appear", async () => {
    const world = storedWorld();
    const count = 620;
    for (let n = 0; n < count; n += 1) {
      // Several of them have the same time.
      world.write(idOf(n), [entry(1, null, `prompt ${n}`)], 1_700_000_000 + Math.floor(n / 7));
    }
    const seen: string[] = [];
    let next: string | undefined;
    let pages = 0;
    do {
      const before = next === undefined ? "" : `&before=${encodeURIComponent(next)}`;
      const { body } = await world.get(`/sessions?stored=1&limit=200${before}`);
      seen.push(...body.stored.map(({ sessionId }: { sessionId: string }) => sessionId));
      next = body.next;
      pages += 1;
      // Once more than the list expects.
      for (let n = 0; n < (pages === 1 ? 150 : 3); n += 1) {
        world.write(idOf(1000 * pages + n), [entry(1, null, "new")], 1_800_000_000);
      }
    } while (next !== undefined);
    expect(pages).toBe(4);
    expect(seen).toEqual(Array.from({ length: count }, (_, n) => idOf(count - 1 - n)));
  });

  it.each(["x", "1_2_x", `1_2_${"0".repeat(36)}`, "1_2_../../etc"])(
    "refuses a page that is no `next` of an answer: %s",
    async (before) => {
      const { status, body } = await storedWorld().get(`/sessions?stored=1&before=${before}`);
      expect([status, body.error.code, body.error.param]).toEqual([
        400,
        "invalid_request",
        "before",
      ]);
    },
  );
});

describe("GET /hawser/v1/sessions?q=", () => {
  it.each([
    ["sheepshank", { messageUuid: "u4" }],
    ["a mistake", { messageUuid: "u2" }],
    ["go on", { messageUuid: "u6" }],
    ["figure eight", { messageUuid: "u3", agentId: "a1" }],
  ])(
    "finds a text before a compaction, in what a rewind left, and of sub-agents: %s",
    async (text, hit) => {
      const world = storedWorld();
      world.write(idOf(1), compacted());
      world.write(`${idOf(1)}/subagents/agent-a1`, [
        entry(1, null, "Find one.", { isSidechain: true, agentId: "a1" }),
        entry(3, 1, "A figure eight.", { isSidechain: true, agentId: "a1" }),
      ]);
      const { body } = await world.get(`/sessions?q=${encodeURIComponent(text)}`);
      expect(body).toMatchObject({
        isComplete: true,
        hits: [{ ...hit, session: { sessionId: idOf(1) } }],
      });
      expect(body.hits[0].excerpt.toLowerCase()).toContain(text);
    },
  );

  it("masks a secret before it cuts the excerpt, and finds nothing inside of a secret", async () => {
    const world = storedWorld();
    const text = `${SECRET} ${"x".repeat(90)} needle ${"y".repeat(90)} ${SECRET}`;
    world.write(idOf(1), [entry(1, null, "Hello."), entry(2, 1, text)]);
    const { body } = await world.get("/sessions?q=needle");
    expect(body.hits[0].excerpt).toContain("needle");
    expect(body.hits[0].excerpt).not.toMatch(/qqq|sk-/);
    for (const guess of ["sk-ant-api03-q", "qqqq", SECRET]) {
      expect((await world.get(`/sessions?q=${guess}`)).body.hits).toEqual([]);
      const inside = await world.get(`/sessions/${idOf(1)}/messages?q=${guess}`);
      expect(inside.body.total).toBe(0);
    }
  });

  it("ends without an error in a message that is nested very deeply", async () => {
    const world = storedWorld();
    const deep = `${"[".repeat(5000)}"needle"${"]".repeat(5000)}`;
    const line = JSON.stringify(entry(2, 1, "DEEP")).replace('"DEEP"', deep);
    world.write(idOf(1), [entry(1, null, "Hello."), line]);
    expect((await world.get("/sessions?q=needle")).body.hits).toHaveLength(1);
  });
});

describe("GET /hawser/v1/sessions/:id/messages", () => {
  it("has all of the transcript and of its sub-agents with all=1, and marks what is not in the conversation", async () => {
    const world = storedWorld();
    world.write(idOf(1), compacted());
    world.write(`${idOf(1)}/subagents/agent-a1`, [
      entry(3, null, "A figure eight.", { isSidechain: true, agentId: "a1" }),
    ]);
    const shown = async (query: string) => {
      const { body } = await world.get(`/sessions/${idOf(1)}/messages${query}`);
      return body.messages.map(
        // biome-ignore lint/suspicious/noExplicitAny: a test reads any field of the answer.
        ({ uuid, isLeftOut, agentId }: any) => [uuid, isLeftOut ?? agentId].join(" ").trim(),
      );
    };
    expect(await shown("")).toEqual(["u5", "u6"]);
    expect(await shown("?all=1")).toEqual(["u1 true", "u2 true", "u4 true", "u5", "u6", "u3 a1"]);
    expect(await shown("?all=1&q=tied")).toEqual(["u4 true"]);
    expect(await shown("?q=tied")).toEqual([]);
  });
});
