import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Options, query } from "../../src/index.js";
import { always, fakeCli, text, toolUse } from "../../src/testing/index.js";
import { clisInTurn } from "../support/cli.js";
import { recordingLogger } from "../support/recording-logger.js";
import { world } from "../support/world.js";
import { collect, realQuery } from "./query.helper.js";

const SECRET = "HAWSER_TEST_OF_THIS_PROCESS";

async function argvOf(options: Options): Promise<readonly string[]> {
  const cli = await fakeCli();
  onTestFinished(() => cli.dispose());
  await collect(query({ prompt: "go", options: { cliPath: cli.path, ...options } }));
  return (await cli.recorded()).find(({ argv }) => argv.length > 1)?.argv ?? [];
}

describe.each(clisInTurn())("the options of a query on $name", ({ path }) => {
  it("replace the environment by env", async () => {
    vi.stubEnv(SECRET, "seen");
    onTestFinished(() => void vi.unstubAllEnvs());
    const place = await world(path, [
      toolUse("Bash", { command: `echo "[$${SECRET}][$OWN]"` }),
      text("done"),
    ]);
    const { env, cwd } = place;
    const options = { pathToClaudeCodeExecutable: path, env: { ...env, OWN: "own" }, cwd };
    const { error } = await collect(
      query({ prompt: "go", options: { ...options, allowedTools: ["Bash"] } }),
    );
    expect(error).toBeUndefined();
    expect(place.model.calls[1]?.toolResults[0]?.text).toBe("[][own]");
  });

  it("use a minimal system prompt unless systemPrompt names the preset", async () => {
    const systemOf = async (options: Options) => {
      const { q, model } = await realQuery(path, always("ok"), options);
      await collect(q);
      return model.calls[0]?.system ?? "";
    };
    const unset = await systemOf({});
    const preset = await systemOf({ systemPrompt: { type: "preset", preset: "claude_code" } });
    const own = await systemOf({ systemPrompt: "You tie knots." });
    expect(unset.length).toBeLessThan(1_000);
    expect(preset.length).toBeGreaterThan(5_000);
    expect(own).toContain("You tie knots.");
    expect(own.length).toBeLessThan(1_000);
  });
});

describe("the options of a query", () => {
  it("are ignored with a warning if they are unknown", async () => {
    const { logger, entries } = recordingLogger();
    const options = { logger, fromTheFuture: 1, modle: "x" } as Options;
    expect(await argvOf(options)).toContain("--permission-mode=default");
    expect(entries.filter(({ level }) => level === "warn")).toEqual([
      {
        level: "warn",
        message: "unknown options",
        fields: { names: ["fromTheFuture", "modle (did you mean model?)"] },
      },
    ]);
  });

  it("throw at the call if they are invalid", () => {
    const refusal = expect.objectContaining({ code: "invalid_options" });
    expect(() => query({ prompt: "go", options: { maxTurns: "two" as never } })).toThrow(refusal);
  });

  it.each(["acceptEdits", "plan"] as const)("send the permission mode: %s", async (mode) => {
    expect(await argvOf({ permissionMode: mode })).toContain(`--permission-mode=${mode}`);
  });

  it("prefer thinking to maxThinkingTokens with a warning, as in the official SDK", async () => {
    const { logger, entries } = recordingLogger();
    const both: Options = { thinking: { type: "adaptive" }, maxThinkingTokens: 5000 };
    const argv = await argvOf({ ...both, logger });
    expect(argv.filter((flag) => flag.includes("thinking"))).toEqual(["--thinking=adaptive"]);
    expect(entries).toContainEqual({
      level: "warn",
      message: "options that `thinking` replaces",
      fields: { names: ["maxThinkingTokens"] },
    });
  });

  it("pass stderr on with blanks and line ends, as in the official SDK", async () => {
    const cli = await fakeCli({
      steps: [{ on: "user", do: [{ stderr: "one  \r\n" }, { turn: "ok" }] }],
    });
    onTestFinished(() => cli.dispose());
    const heard: string[] = [];
    const stderr = (text: string) => void heard.push(text);
    await collect(query({ prompt: "go", options: { cliPath: cli.path, stderr } }));
    expect(heard).toEqual(["one  \r\n"]);
  });

  it("inherit the environment of this process without env", async () => {
    vi.stubEnv(SECRET, "seen");
    onTestFinished(() => void vi.unstubAllEnvs());
    const cli = await fakeCli();
    onTestFinished(() => cli.dispose());
    await collect(query({ prompt: "go", options: { cliPath: cli.path } }));
    await collect(query({ prompt: "go", options: { cliPath: cli.path, env: { OWN: "own" } } }));
    const [first, second] = (await cli.recorded()).filter(({ argv }) => argv.length > 1);
    expect([first?.env[SECRET], first?.env["OWN"]]).toEqual(["seen", undefined]);
    expect([second?.env[SECRET], second?.env["OWN"]]).toEqual([undefined, "own"]);
    expect(join(second?.cwd ?? "")).toBe(process.cwd());
  });
});
