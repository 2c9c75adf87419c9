import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { type HawserError, isHawserError } from "../../src/base/index.js";
import { hostId } from "../../src/process/end/host-identity.js";
import { fakeCli, type Scenario } from "../../src/testing/index.js";
import { CliProcess, STREAM_JSON } from "./cli-process.helper.js";

const ENV = { PATH: process.env["PATH"] ?? "" };
const MAIN = fileURLToPath(new URL("../../src/testing/fake-cli/main.mjs", import.meta.url));

async function folder(files: Readonly<Record<string, string>>): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "hawser-test-"));
  onTestFinished(() => rm(path, { recursive: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text);
  return path;
}

async function refusalOf(scenario: unknown): Promise<HawserError> {
  const made = fakeCli(scenario as Scenario);
  const error = await made.then(
    (cli) => cli.dispose(),
    (error: unknown) => error,
  );
  if (!isHawserError(error, "invalid_options")) throw new Error("It was not refused.");
  return error;
}

async function answerOf(scenario: string | URL, prompt = "go"): Promise<unknown> {
  await using cli = await fakeCli(scenario);
  await using run = new CliProcess(cli.path, STREAM_JSON, { env: ENV });
  return (await run.turn(prompt)).at(-1)?.["result"];
}

const inStep = (action: unknown) => ({ steps: [{ on: "user", do: [action] }] });

describe("fakeCli() rejects an invalid scenario, with the path of the issue", () => {
  it.each<[string, unknown, string, string]>([
    ["no object", [], "scenario", "must be an object"],
    ["a field", { step: [] }, "step", "is unknown"],
    ["no list", { steps: {} }, "steps", "must be a list"],
    ["a trigger", { steps: [{ on: "usr", do: [] }] }, "steps[0].on", "must be one of version"],
    ["no trigger", { steps: [{ do: [] }] }, "steps[0].on", "is missing"],
    ["nothing to do", { steps: [{ on: "user" }] }, "steps[0].do", "is missing"],
    ["times", { steps: [{ on: "user", times: 0, do: [] }] }, "steps[0].times", "of at least 1"],
    ["an action", inStep({ dance: true }), "steps[0].do[0]", 'no known action "dance"'],
    ["a bare text", inStep("turn"), "steps[0].do[0]", "must be an action"],
    ["a type", inStep({ sleep: "1s" }), "steps[0].do[0].sleep", "must be a number"],
    ["an option", inStep({ turn: "a", tims: 2 }), "steps[0].do[0].tims", "is unknown"],
    ["a part", inStep({ turn: ["a", { tol: "x" }] }), "steps[0].do[0].turn[1]", '"tol"'],
    ["a block", inStep({ turn: [["a"]] }), "steps[0].do[0].turn[0]", "content blocks"],
    ["a result", inStep({ tool: "Bash", result: 1 }), "steps[0].do[0].result", "content blocks"],
    [
      "a turn behind a task",
      inStep({ background: { next: [{ exit: "1" }] } }),
      "steps[0].do[0].background.next[0].exit",
      "must be a count",
    ],
    ["a number for a turn", inStep({ turn: 5 }), "steps[0].do[0].turn", "a string or a list"],
    [
      "a call as a block",
      inStep({
        turn: [
          [
            { type: "text", text: "a" },
            { type: "tool_use", name: "Bash" },
          ],
        ],
      }),
      "steps[0].do[0].turn[0][1]",
      "use the action { tool, input }",
    ],
    ["a signal", inStep({ die: "SIGFOO" }), "steps[0].do[0].die", "the name of a signal"],
    ["a hook", inStep({ hook: "PreTool" }), "steps[0].do[0].hook", "must be one of PreToolUse"],
    ["an answer to no request", inStep({ respond: {} }), "steps[0].do[0].respond", "control"],
    [
      "an error to no request",
      { steps: [{ on: "start", do: [{ respondError: "no" }] }] },
      "steps[0].do[0].respondError",
      "only for steps on control",
    ],
    [
      "a subtype of no request",
      { steps: [{ on: "user", subtype: "interrupt", do: [] }] },
      "steps[0].subtype",
      "only for steps on control",
    ],
    ["a status", inStep({ apiError: 200 }), "steps[0].do[0].apiError", "HTTP status"],
    ["a date", inStep({ apiError: 429, resetsAt: "soon" }), "steps[0].do[0].resetsAt", "a Date"],
    ["the state of a server", { mcp: { git: "down" } }, "mcp.git", "must be one of connected"],
    ["a function", inStep(() => {}), "steps[0].do[0]", "only a scenario file"],
  ])("%s", async (_, scenario, path, message) => {
    const { issues } = await refusalOf(scenario);
    expect(issues).toEqual([{ path, message: expect.stringContaining(message) }]);
  });

  it("reports each of several issues", async () => {
    const steps = [
      { on: "user", do: [{ exit: 1 }, { exti: 1 }] },
      { on: "never", do: [] },
    ];
    const error = await refusalOf({ steps });
    expect(error.issues?.map(({ path }) => path)).toEqual(["steps[0].do[1]", "steps[1].on"]);
    expect(error.message).toContain('steps[0].do[1] has no known action "exti"');
  });

  it.each([
    ["absent.json", "ENOENT"],
    ["absent.mjs", "absent.mjs"],
    ["bad.json", "JSON"],
    ["throws.mjs", "cannot be read: not today"],
    ["empty.mjs", "has no default export"],
    ["wrong.json", 'no known action "no"'],
    ["notes.txt", "must be a .json, .js or .mjs file"],
  ])("a file: %s", async (name, message) => {
    const path = await folder({
      "bad.json": "{",
      "throws.mjs": 'throw new Error("not today");',
      "empty.mjs": "export const scenario = {};",
      "wrong.json": '{"steps":[{"on":"user","do":[{"no":1}]}]}',
      "notes.txt": "{}",
    });
    const { issues } = await refusalOf(join(path, name));
    expect(issues).toMatchObject([{ message: expect.stringContaining(message) }]);
  });

  it("names a module without a default export", async () => {
    const path = join(await folder({ "empty.mjs": "export const scenario = {};" }), "empty.mjs");
    expect((await refusalOf(path)).message).toContain(`${path} has no default export`);
  });

  it("refuses values that JSON cannot hold, and a URL that is no file URL", async () => {
    const circle: Record<string, unknown> = {};
    circle["circle"] = circle;
    for (const value of [circle, { big: 1n }]) {
      const { message, hint } = await refusalOf(inStep({ emit: value }));
      expect(message).toContain("must be plain JSON");
      expect(hint).toBeDefined();
    }
    const { message } = await refusalOf(new URL("http://127.0.0.1/scenario.mjs"));
    expect(message).toContain("http://127.0.0.1/scenario.mjs must be a file: URL");
  });
});

describe("fakeCli() scenario file", () => {
  const SAYS = '{"steps":[{"on":"user","do":[{"turn":"from the file"}]}]}';

  it("may be JSON, or a module with imports, by path or URL", async () => {
    const path = await folder({
      "says.json": SAYS,
      "says.mjs":
        'import { text } from "./text.mjs";\nexport default { steps: [{ on: "user", do: [{ turn: text }] }] };',
      "text.mjs": 'export const text = "from the module";',
    });
    expect(await answerOf(join(path, "says.json"))).toBe("from the file");
    expect(await answerOf(pathToFileURL(join(path, "says.json")))).toBe("from the file");
    expect(await answerOf(join(path, "says.mjs"))).toBe("from the module");
    expect(await answerOf(pathToFileURL(join(path, "says.mjs")))).toBe("from the module");
  });

  it("may have functions, which get the prompt and can print, ask and act", async () => {
    const path = await folder({
      "agent.mjs": `
        export default {
          steps: [{ on: "user", do: [async (cli) => {
            await cli.print({ type: "system", subtype: "mine", argc: cli.argv.length });
            const { name } = await cli.ask({ subtype: "who" });
            const failed = await cli.ask({ subtype: "fails" }).catch((error) => error.message);
            await cli.do({ turn: cli.message.type + " " + cli.prompt + " " + name + " " + failed });
          }] }],
        };`,
    });
    await using cli = await fakeCli(join(path, "agent.mjs"));
    await using run = new CliProcess(cli.path, STREAM_JSON, { env: ENV });
    run.send({ type: "user", message: { role: "user", content: "Hello" } });
    const who = await run.line((line) => line["type"] === "control_request");
    const answer = (request_id: unknown, response: object) =>
      run.send({ type: "control_response", response: { request_id, ...response } });
    answer(who["request_id"], { subtype: "success", response: { name: "Ada" } });
    const fails = await run.line(
      ({ request }) => (request as { subtype?: string } | undefined)?.subtype === "fails",
    );
    answer(fails["request_id"], { subtype: "error", error: "no" });
    const result = await run.line((line) => line["type"] === "result");
    expect(result).toMatchObject({ result: "user Hello Ada Error: no" });
    expect(run.lines[0]).toMatchObject({
      subtype: "mine",
      argc: 5,
      session_id: expect.any(String),
    });
  });

  it("reports the function that threw, with its location", async () => {
    const code = [
      'const f = () => { throw new TypeError("kaputt"); };',
      'export default { steps: [{ on: "user", do: [{ init: {} }, f] }] };',
    ];
    const file = join(await folder({ "throws.mjs": code.join("\n") }), "throws.mjs");
    await using cli = await fakeCli(file);
    await using run = new CliProcess(cli.path, STREAM_JSON, { env: ENV });
    run.send({ type: "user", message: { role: "user", content: "Hello" } });
    expect(await run.exit).toEqual({ code: 70, signal: null });
    await run.closed;
    const said = `fake cli: steps[0].do[1] threw TypeError: kaputt (${file}:1:25)\n`;
    expect(run.stderr).toBe(said);
  });

  it("can be played without the library, by the program itself", async () => {
    const path = await folder({ "says.json": SAYS });
    const env = { ...ENV, HAWSER_FAKE_SCENARIO: join(path, "says.json") };
    await using run = new CliProcess(MAIN, STREAM_JSON, { env });
    expect((await run.turn("go")).at(-1)).toMatchObject({ result: "from the file" });
    const { stdout } = await promisify(execFile)(process.execPath, [MAIN, "-v"], { env: ENV });
    expect(stdout).toBe("2.1.325 (Claude Code)\n");
  });
});

describe("fakeCli() unused steps", () => {
  const steps = [
    { on: "user" as const, do: [{ turn: "one" }] },
    { on: "user" as const, times: 2, do: [{ turn: "two" }] },
    { on: "SIGTERM" as const, times: "always" as const, do: [] },
    { on: "eof" as const, do: [{ default: true as const }] },
  ];

  it("are reported until they are used up", async () => {
    await using cli = await fakeCli({ steps });
    expect(cli.unused()).toEqual(["steps[0]", "steps[1]", "steps[3]"]);
    await using run = new CliProcess(cli.path, STREAM_JSON, { env: ENV });
    await run.turn("go");
    await run.turn("go");
    expect(cli.unused()).toEqual(["steps[1]", "steps[3]"]);
    expect(() => cli.assertDone()).toThrow(
      expect.objectContaining({
        name: "AssertionError",
        message: "FakeCli: steps[1], steps[3] were not used up",
      }),
    );
    await run.turn("go");
    await run.end();
    expect(cli.unused()).toEqual([]);
    cli.assertDone();
  });

  it("are unknown after dispose(), as is the record", async () => {
    const cli = await fakeCli({ steps });
    await cli.dispose();
    const gone = expect.objectContaining({
      code: "invalid_options",
      hint: expect.stringContaining("before dispose()"),
    });
    expect(() => cli.unused()).toThrow(gone);
    await expect(cli.recorded()).rejects.toEqual(gone);
  });
});

it("fakeCli() names its folder after this program, so that folders of a dead program are found", async () => {
  await using cli = await fakeCli();
  expect(basename(dirname(cli.path))).toMatch(`hawser-${hostId()}-`);
});
