import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { complete } from "../../src/complete/index.js";
import { buildInvocation, type Options } from "../../src/options/index.js";
import { always, toolUse } from "../../src/testing/index.js";
import { clisInTurn, FULL } from "../support/cli.js";
import { recordingLogger } from "../support/recording-logger.js";
import { world } from "../support/world.js";
import { added, HOST, NEWEST } from "./facts.helper.js";

/** As a program in JavaScript gives it. */
const newer = (options: object): Options => options as Options;

const PASSED_ON = "and passes it on. A CLI that does not know it";
const EFFORTS = "Known: low, medium, high, xhigh, max.";
const MODES = "Known: default, acceptEdits, plan, dontAsk, auto, bypassPermissions, manual.";

describe("an effort or permission mode that hawser does not know", () => {
  it.each<[Options, string, string]>([
    [
      { effort: "ultra" },
      "--effort=ultra",
      `Hawser does not know effort "ultra" ${PASSED_ON} warns on stderr and takes its default, or ends at once. ${EFFORTS}`,
    ],
    [
      { effort: "hihg" },
      "--effort=hihg",
      `Hawser does not know effort "hihg" ${PASSED_ON} warns on stderr and takes its default, or ends at once. Did you mean "high"?`,
    ],
    [
      newer({ permissionMode: "supervised" }),
      "--permission-mode=supervised",
      `Hawser does not know permissionMode "supervised" ${PASSED_ON} ends at once. ${MODES}`,
    ],
  ])("is passed on with a warning: %j", (options, flag, warning) => {
    const { argv, warnings } = buildInvocation(options, NEWEST, HOST);
    expect(argv).toContain(flag);
    expect(warnings).toEqual([warning]);
  });

  it("is passed on in settings, and verified before a prompt is sent", () => {
    const settings = { permissions: { defaultMode: "supervised", ask: ["Bash"] } };
    const { argv, warnings, expectsMode } = buildInvocation({ settings }, NEWEST, HOST);
    expect(argv.slice(-2)).toEqual(["--settings", JSON.stringify(settings)]);
    expect(expectsMode).toBe(true);
    expect(warnings).toEqual([
      `Hawser does not know settings.permissions.defaultMode "supervised" ${PASSED_ON} drops all of these settings, and then no session begins. ${MODES}`,
    ]);
  });

  it("is not the older name of a known mode", () => {
    const settings = { permissions: { defaultMode: "manual" } };
    expect(added({ settings, permissionMode: "manual" })).toEqual({
      flags: ["--settings", '{"permissions":{"defaultMode":"default"}}'],
    });
    expect(buildInvocation({ settings }, NEWEST, HOST).expectsMode).toBeUndefined();
  });
});

describe.each(clisInTurn())("the real CLI $name", ({ path }) => {
  it("takes its default effort for an unknown one, and warns on stderr", async () => {
    const place = await world(path, always("Done."));
    const { logger, entries } = recordingLogger();
    const heard: string[] = [];
    const stderr = (line: string) => void heard.push(line);
    const { text } = await complete("x", { ...place.options, effort: "ultra", logger, stderr });
    expect(text).toBe("Done.");
    expect(heard.join("\n")).toContain("Unknown --effort value 'ultra'");
    const warnings = entries.filter(({ level }) => level === "warn");
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining('Hawser does not know effort "ultra" and passes it on.'),
    ]);
  });

  it("exits at an unknown permission mode before anything runs", async () => {
    const place = await world(path, runs("touch made"));
    const mode = newer({ permissionMode: "supervised" });
    const call = complete("x", { ...place.options, ...BASH, ...mode });
    await expect(call).rejects.toMatchObject({
      code: "unsupported_by_cli",
      message: expect.stringMatching(
        /^The CLI does not accept the value of an option\. The CLI process ended with exit code 1: .*argument 'supervised' is invalid/,
      ),
      hint: "Use a value that the CLI names. If the value is newer than your CLI, update the CLI.",
      exitCode: 1,
      stderrTail: expect.stringContaining("argument 'supervised' is invalid"),
    });
    expect(existsSync(join(place.cwd, "made"))).toBe(false);
    expect(place.model.calls).toEqual([]);
  });

  it("starts no session when it drops settings for their unknown mode", async () => {
    const place = await world(path, runs("touch made"));
    const settings = { permissions: { defaultMode: "supervised", ask: ["Bash"] } };
    await expect(complete("x", { ...place.options, ...BASH, settings })).rejects.toMatchObject({
      code: "protocol_error",
      message: "The settings with their default mode did not reach the CLI, so no prompt was sent.",
      issues: [{ path: "permissions.defaultMode", message: expect.any(String) }],
    });
    expect(existsSync(join(place.cwd, "made"))).toBe(false);
    expect(place.model.calls).toEqual([]);
  });

  it.each(FULL ? ["manual", "auto"] : ["manual"])(
    "applies settings whose mode is %s",
    async (defaultMode) => {
      const place = await world(path, always("Done."));
      const settings = { permissions: { defaultMode, ask: ["Bash"] } };
      expect((await complete("x", { ...place.options, settings })).text).toBe("Done.");
    },
  );

  it("keeps maxThinkingTokens beside adaptive thinking for a model without adaptive thinking", async () => {
    const place = await world(path, always("Done."));
    const both: Options = { thinking: { type: "adaptive" }, maxThinkingTokens: 5000 };
    for (const model of ["claude-sonnet-4-5", "claude-opus-4-6"]) {
      await complete("x", { ...place.options, ...both, model });
    }
    expect(place.model.calls.map(({ body }) => Reflect.get(body as object, "thinking"))).toEqual([
      expect.objectContaining({ type: "enabled", budget_tokens: 5000 }),
      expect.objectContaining({ type: "adaptive" }),
    ]);
  });
});

const BASH: Options = { tools: ["Bash"], allowedTools: ["Bash"] };

function runs(command: string) {
  return always(({ toolResults }) =>
    toolResults.length === 0 ? toolUse("Bash", { command }) : "Done.",
  );
}
