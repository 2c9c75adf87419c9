import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { type HawserError, isHawserError } from "../../src/errors/index.js";
import { fakeCli, type Scenario } from "../../src/testing/index.js";
import { CliProcess, STREAM_JSON } from "./cli-process.js";

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

describe("a scenario that is wrong is refused at once, with the place", () => {
  const inStep = (action: unknown) => ({ steps: [{ on: "user", do: [action] }] });
  it.each<[string, unknown, string, string]>([
    ["no object", [], "scenario", "must be an object"],
    ["a field", { step: [] }, "step", "is unknown"],
    ["no list", { steps: {} }, "steps", "must be a list"],
    ["a trigger", { steps: [{ on: "usr", do: [] }] }, "steps[0].on", "must be one of version"],
    ["no trigger", { steps: [{ do: [] }] }, "steps[0].on", "is missing"],
    ["nothing to do", { steps: [{ on: "user" }] }, "steps[0].do", "is missing"],
    ["times", { steps: [{ on: "user", times: 0, do: [] }] }, "steps[0].times", "from 1 on"],
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
    ["a function", inStep(() => {}), "steps[0].do[0]", "only a scenario file"],
  ])("%s", async (_, scenario, path, message) => {
    const { issues } = await refusalOf(scenario);
    expect(issues).toEqual([{ path, message: expect.stringContaining(message) }]);
  });

  it("each of several", async () => {
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
    ["empty.mjs", "must be an object"],
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
});

describe("a scenario in a file", () => {
  const SAYS = '{"steps":[{"on":"user","do":[{"turn":"from the file"}]}]}';

  it("is JSON, or a module with what it imports, by path or URL", async () => {
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

  it("may have functions, which see the prompt, print, ask, and do", async () => {
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

  it("is played without the library too, by the program itself", async () => {
    const path = await folder({ "says.json": SAYS });
    const env = { ...ENV, HAWSER_FAKE_SCENARIO: join(path, "says.json") };
    await using run = new CliProcess(MAIN, STREAM_JSON, { env });
    expect((await run.turn("go")).at(-1)).toMatchObject({ result: "from the file" });
    const { stdout } = await promisify(execFile)(process.execPath, [MAIN, "-v"], { env: ENV });
    expect(stdout).toBe("2.1.325 (Claude Code)\n");
  });
});
