import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hang, reply, toolUse } from "../../src/testing/index.js";
import { FULL } from "../support/cli.js";
import { until } from "../support/proc.js";
import { placeOf } from "./program.helper.js";

const NO_SESSION = "00000000-0000-4000-8000-000000000000";

describe("examples/long-task.js", () => {
  /** The maxTurns of the example, after which autoResume continues. */
  const ROUNDS = 20;
  const MAKE = `node -e "require('fs').writeFileSync('never', '')"`;

  it("stops at Ctrl-C, resumes the session later, and continues by itself at the limit of turns", async () => {
    const place = await placeOf("long-task.js", [
      toolUse("Write", { file_path: "rope.txt", content: "bowline" }),
      hang("Now I"),
      toolUse("Bash", { command: MAKE, description: "Make a file" }),
      ...Array.from({ length: ROUNDS - 1 }, () => toolUse("Read", { file_path: "rope.txt" })),
      "Done.",
    ]);
    const { cwd, model } = place;
    const first = place.start(["Write down a knot."]);
    await until(() => model.calls.length === 2);
    process.kill(-first.pid, "SIGINT");
    const { code, stdout, stderr } = await first.ended;
    expect({ code, stdout }).toEqual({ code: 130, stdout: "" });
    const [, session = ""] =
      /^· Write .*rope\.txt\nInterrupted\.\nTo go on: .+ --resume ([0-9a-f-]{36})\n$/.exec(
        stderr,
      ) ?? [];
    expect(stderr).toContain(session);
    expect(readFileSync(join(cwd, "rope.txt"), "utf8")).toBe("bowline");

    const second = await place.start(["--resume", session, "--budget", "0.5"]).ended;
    expect({ ...second, stderr: second.stderr.split("\n") }).toEqual({
      code: 0,
      stdout: "Done.\n",
      stderr: [
        `· Bash ${MAKE}`,
        ...Array.from({ length: ROUNDS - 1 }, () => expect.stringMatching(/^· Read .*rope\.txt$/)),
        "refused: Bash",
        expect.stringMatching(/^completed after 2\d turns, \$0\.\d+$/),
        "",
      ],
    });
    expect(existsSync(join(cwd, "never"))).toBe(false);
    const [, , resumed] = model.calls;
    for (const call of [resumed, model.calls.at(-1)]) {
      expect(call?.prompt).toContain("Go on where you stopped.");
    }
    expect(JSON.stringify(resumed?.body)).toContain("Write down a knot.");
  });

  it.runIf(FULL)("stops at its budget and prints how to resume", async () => {
    const costly = { usage: { output_tokens: 100_000 } };
    const place = await placeOf("long-task.js", [
      reply(["I look.", toolUse("Read", { file_path: "rope.txt" })], costly),
    ]);
    const { code, stdout, stderr } = await place.start(["Read it.", "--budget", "0.01"]).ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: "I look.\n" });
    expect(stderr).toMatch(/\nmax_budget after \d+ turns, \$\d.*\nTo go on: .+ --resume .{36}\n$/);
  });

  it.runIf(FULL)(
    "prints session_not_found for an unknown session and exits with its code",
    async () => {
      const place = await placeOf("long-task.js", []);
      const { code, stderr } = await place.start(["--resume", NO_SESSION]).ended;
      expect(stderr).toMatch(/^session_not_found: /);
      expect(code).toBe(66);
    },
  );
});

describe("examples/moved-over.js", () => {
  it("writes only into ./drafts, and continues with the next task after an interrupt", async () => {
    const place = await placeOf("moved-over.js", [
      toolUse("Write", { file_path: "drafts/notes.md", content: "# Notes" }),
      toolUse("Write", { file_path: "elsewhere.md", content: "# Notes" }),
      "The notes are there.",
      hang("Once upon a time"),
      "And the post.",
    ]);
    const { cwd, model } = place;
    const app = place.start(["Draft notes.", "Tell a story.", "Draft a post."]);
    await until(() => model.calls.length === 4);
    process.kill(-app.pid, "SIGINT");
    expect(await app.ended).toEqual({
      code: 1,
      stdout: "The notes are there.\n(error_during_execution)\nAnd the post.\n",
      stderr: `wrote ${join("drafts", "notes.md")}\nrefused Write\n`,
    });
    expect(readFileSync(join(cwd, "drafts", "notes.md"), "utf8")).toBe("# Notes");
    expect(existsSync(join(cwd, "elsewhere.md"))).toBe(false);
    expect(model.calls[0]?.system).toContain("Write drafts into ./drafts.");
    expect(model.calls[2]?.toolResults[0]?.text).toContain("Only files in ./drafts");
  });
});

describe("examples/omega-assistant.js", () => {
  it("keeps a note by its MCP server, and keeps the conversation from run to run", async () => {
    const place = await placeOf("omega-assistant.js", [
      toolUse("mcp__notes__keep", { note: "The mooring is worn." }),
      "I noted it.",
      "It is worn.",
      "Still worn.",
    ]);
    const { cwd, model } = place;
    const said = (code: number, stdout: string) => ({ code, stdout: `${stdout}\n`, stderr: "" });
    expect(await place.start(["Remember: the mooring is worn."]).ended).toEqual(
      said(0, "I noted it."),
    );
    expect(readFileSync(join(cwd, "notes.txt"), "utf8")).toBe("The mooring is worn.\n");
    const [first, second] = model.calls;
    expect(first?.model).toMatch(/haiku/);
    expect(first?.system).toContain("You are the harbour master's assistant.");
    expect(first?.tools).toContain("mcp__notes__keep");
    expect(second?.toolResults).toMatchObject([{ text: "kept", isError: false }]);

    const long = `What of the mooring? ${"Be exact. ".repeat(20)}`;
    expect(await place.start([long]).ended).toEqual(said(0, "It is worn."));
    const third = model.calls[2];
    expect(third?.model).toMatch(/sonnet/);
    expect(JSON.stringify(third?.body)).toContain("Remember: the mooring is worn.");
    expect(third?.prompt).not.toContain("[Assistant]");

    if (!FULL) return;
    // A session that is lost is replaced by the history.
    const state = join(cwd, "assistant.json");
    const { history } = JSON.parse(readFileSync(state, "utf8"));
    writeFileSync(state, JSON.stringify({ sessionId: NO_SESSION, history }));
    expect(await place.start(["And now?"]).ended).toEqual(said(0, "Still worn."));
    expect(model.calls[3]?.prompt).toContain("[Assistant]\nI noted it.");
    expect(JSON.parse(readFileSync(state, "utf8"))).toEqual({
      sessionId: expect.not.stringContaining(NO_SESSION),
      history: [
        ...history,
        { role: "user", content: "And now?" },
        { role: "assistant", content: "Still worn." },
      ],
    });
  });
});
