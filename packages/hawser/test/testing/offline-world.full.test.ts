import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { complete } from "../../src/complete/index.js";
import type { Options } from "../../src/options/index.js";
import { createPool } from "../../src/pool/index.js";
import { shutdown } from "../../src/process/index.js";
import { openSession } from "../../src/session/index.js";
import {
  type OfflineWorld,
  type OfflineWorldOptions,
  offlineWorld,
  reply,
  toolUse,
} from "../../src/testing/index.js";
import { getSessionMessages, listSessions } from "../../src/transcripts/index.js";
import { FULL, NEWEST_CLI } from "../support/cli.js";

/** A world for one test. */
async function open(options: OfflineWorldOptions): Promise<OfflineWorld> {
  const world = await offlineWorld(options);
  onTestFinished(async () => {
    await shutdown();
    await world.dispose().catch(() => {});
  });
  return world;
}

const CLIS = [
  ["the real CLI", NEWEST_CLI, true],
  ["the stand-in", "/nowhere/claude", false],
] as const;

/** The world's model is a SimulatedModel, which other tests run on the real CLI. */
const STAND_IN = FULL ? CLIS : CLIS.slice(1);

function openOn(cli: string, options: OfflineWorldOptions = {}): Promise<OfflineWorld> {
  vi.stubEnv("HAWSER_CLI", cli);
  onTestFinished(() => void vi.unstubAllEnvs());
  return open(options);
}

describe.each(CLIS)("offlineWorld() on %s", (_, cli, isReal) => {
  const openHere = (options?: OfflineWorldOptions) => openOn(cli, options);

  it("answers with its replies, and records every request", async () => {
    const world = await openHere({ replies: ["A bowline.", (call) => `${call.prompt} A hitch.`] });
    expect(world.isReal).toBe(isReal);
    expect(world.cliVersion).toEqual(isReal ? expect.stringMatching(/^\d+\.\d+\.\d+$/) : undefined);
    await using pool = createPool({ size: { min: 0, max: 1 } });
    const options = { ...world.options, pool };
    expect((await complete("One knot.", options)).text).toBe("A bowline.");
    expect((await complete("Another.", options)).text).toBe("Another. A hitch.");
    expect(world.model.calls.map(({ prompt }) => prompt)).toEqual(["One knot.", "Another."]);
  });

  it("repeats the prompt without replies, also in a pool after a reset", async () => {
    const world = await openHere();
    await using pool = createPool({ size: { min: 0, max: 1 } });
    const texts: string[] = [];
    for (const prompt of ["one", "two", "three"]) {
      texts.push((await pool.complete(prompt, world.options)).text);
    }
    expect(texts).toEqual(["You said: one", "You said: two", "You said: three"]);
  });

  it("rejects with api_error when no reply is left, and dispose() then throws", async () => {
    const world = await openHere({ replies: [] });
    await expect(complete("Hello.", world.options)).rejects.toMatchObject({
      code: "api_error",
      apiStatus: 418,
    });
    await expect(world.dispose()).rejects.toThrow("No reply is scripted");
  });

  it("leaves no folder after dispose()", async () => {
    const folder = mkdtempSync(join(tmpdir(), "offline-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    vi.stubEnv("TMPDIR", folder);
    const world = await openHere({ replies: ["A bowline."] });
    await complete("One knot.", world.options);
    expect(readdirSync(folder)).not.toEqual([]);
    await shutdown();
    await world.dispose();
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe.each(STAND_IN)("offlineWorld() on %s", (_, cli) => {
  const openHere = (options?: OfflineWorldOptions) => openOn(cli, options);

  it("ends a call at the first calls of clientTools, without another request", async () => {
    const { options, model } = await openHere({
      replies: [[toolUse("weather", { town: "Kiel" }), toolUse("tide", { port: "Kiel" })]],
    });
    const clientTools = ["weather", "tide"].map((name) => ({
      name,
      description: `The ${name}.`,
      inputSchema: { type: "object" } as const,
    }));
    const { stop, toolCalls } = await complete("May I sail?", { ...options, clientTools });
    expect(stop).toBe("tool_calls");
    expect(toolCalls.map(({ name }) => name)).toEqual(["weather", "tide"]);
    expect(model.calls).toHaveLength(1);
  });

  it("takes a history without a request for each of its messages", async () => {
    const { options, model } = await openHere({ replies: ["Both."] });
    const history = [
      { role: "user" as const, content: "One knot." },
      { role: "assistant" as const, content: "A hitch." },
    ];
    expect((await complete("Which ones?", { ...options, history })).text).toBe("Both.");
    expect(model.calls).toHaveLength(1);
    expect(JSON.stringify(model.calls[0]?.body)).toMatch(/One knot\..*A hitch\..*Which ones\?/s);
  });

  it("returns a value for a schema", async () => {
    const { options } = await openHere({
      replies: [toolUse("StructuredOutput", { name: "bowline" })],
    });
    const schema = {
      type: "object",
      properties: { name: { type: "string" } },
      required: ["name"],
    } as const;
    expect((await complete("Which?", { ...options, schema })).value).toEqual({ name: "bowline" });
  });

  it("sends the model the refusal of a tool", async () => {
    const { options } = await openHere({
      replies: [
        toolUse("Bash", { command: "touch a.txt" }),
        (call) => `refused: ${call.toolResults[0]?.isError}, ${call.toolResults[0]?.text}`,
      ],
    });
    const { text, permissionDenials } = await complete("Touch it.", {
      ...options,
      tools: ["Bash"],
      canUseTool: async () => ({ behavior: "deny", message: "Not today." }),
    });
    expect(text).toBe("refused: true, Not today.");
    expect(permissionDenials).toMatchObject([{ tool_name: "Bash" }]);
  });

  it("sends the model the whole conversation", async () => {
    const world = await openHere({ replies: ["A bowline.", "A hitch."] });
    const session = await openSession(world.options);
    await session.send("One knot.").text();
    expect(await session.send("Another.").text()).toBe("A hitch.");
    await session.close();
    const [, second] = world.model.calls;
    const { messages } = (second?.body ?? {}) as { messages: { role: string }[] };
    const roles = messages.map(({ role }) => role).filter((role) => role !== "system");
    expect(roles).toEqual(["user", "assistant", "user"]);
    expect(JSON.stringify(messages)).toMatch(/One knot\..*A bowline\..*Another\./s);
  });

  it("streams the answer, and stops at an interrupt", async () => {
    const { options } = await openHere({
      replies: [reply("1 2 3 4 5 6 7 8 9", { chunks: 9, chunkDelayMs: 5000 }), "Done."],
    });
    const session = await openSession({ ...options, includePartialMessages: true });
    const turn = session.send("Count.");
    for await (const piece of turn.textStream) {
      expect(piece).toMatch(/^1/);
      break;
    }
    await session.interrupt();
    await expect(turn.result).resolves.toMatchObject({ subtype: "error_during_execution" });
    expect(await session.send("And now?").text()).toBe("Done.");
    await session.close();
  });
});

describe("offlineWorld()", () => {
  it("throws cli_not_found for a `cliPath` that does not exist", async () => {
    await expect(offlineWorld({ cliPath: "/nowhere/claude" })).rejects.toMatchObject({
      code: "cli_not_found",
    });
  });

  it.each(STAND_IN)(
    "keeps `configDir`, so that a later world resumes its sessions, on %s",
    async (_, cli) => {
      vi.stubEnv("HAWSER_CLI", cli);
      const configDir = join(mkdtempSync(join(tmpdir(), "offline-")), "kept");
      onTestFinished(() => {
        vi.unstubAllEnvs();
        rmSync(join(configDir, ".."), { recursive: true, force: true });
      });
      const ask = async (prompt: string, more: Options = {}) => {
        const world = await open({ configDir, replies: ["A hitch."] });
        const session = await openSession({ ...world.options, ...more });
        await session.send(prompt).text();
        const { id } = session;
        await session.close();
        await world.dispose();
        return { id, body: JSON.stringify(world.model.calls[0]?.body) };
      };
      const first = await ask("One knot.");
      expect(existsSync(join(configDir, "projects"))).toBe(true);
      const resume = first.id ?? "";
      const second = await ask("Another.", { resume });
      expect(second.body).toMatch(/One knot\..*A hitch\..*Another\./s);
      expect(second.id).toBe(resume);
      const fork = await ask("A third.", { continue: true, forkSession: true });
      expect(fork.body).toMatch(/One knot\..*Another\..*A third\./s);
      expect(fork.id).not.toBe(resume);

      const read = async (sessionId = "") => {
        const messages = await getSessionMessages(sessionId, { configDir });
        return JSON.stringify(messages.map(({ message }) => message));
      };
      expect(await read(resume)).toMatch(/^(?!.*A third).*One knot\..*A hitch\..*Another\./s);
      expect(await read(fork.id)).toMatch(/One knot\..*Another\..*A third\..*A hitch\./s);
      const sessions = await listSessions({ configDir });
      expect(sessions.map(({ sessionId }) => sessionId).sort()).toEqual([resume, fork.id].sort());
    },
  );
});
