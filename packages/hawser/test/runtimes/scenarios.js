// One scenario in a process of its own, on whatever runtime runs this file: `scenarios.js <name> <cli>`.
// It is copied into a project that has the packed package. It ends by itself or it has failed.
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  complete,
  createPool,
  createSdkMcpServer,
  isHawserError,
  openSession,
  processes,
  query,
  shutdown,
  stream,
  tool,
} from "hawser";
import {
  always,
  fakeCli,
  hang,
  isolatedEnv,
  record,
  replay,
  reply,
  SimulatedModel,
  toolUse,
} from "hawser/testing";

const SCENARIOS = {
  complete: onModel(["A bowline."], async (options) => {
    const { text, usage, sessionId } = await complete("Name a knot.", options);
    assert.equal(text, "A bowline.");
    assert.ok(usage.output_tokens > 0);
    assert.match(sessionId, /^[0-9a-f-]{36}$/);
  }),

  stream: onModel(
    [reply("Over, under and through.", { chunks: 6, chunkDelayMs: 100 })],
    async (options) => {
      const pieces = [];
      const call = stream("How?", options);
      for await (const piece of call.textStream) pieces.push(piece);
      assert.equal(pieces.join(""), "Over, under and through.");
      assert.ok(pieces.length > 1);
      assert.equal((await call.completion).stop, "completed");
    },
  ),

  session: onModel(
    [
      toolUse("mcp__calc__add", { a: 2, b: 3 }),
      (call) => `It is ${call.toolResults[0]?.text}.`,
      toolUse("Bash", { command: "touch made", description: "Make a file" }),
      (call) => (call.toolResults[0]?.text.includes("not today") ? "Denied." : "Done."),
    ],
    async (options) => {
      const asked = [];
      const schema = {
        type: "object",
        properties: { a: { type: "number" }, b: { type: "number" } },
        required: ["a", "b"],
      };
      const add = tool("add", "Adds.", schema, async ({ a, b }) => ({
        content: [{ type: "text", text: String(Number(a) + Number(b)) }],
      }));
      const session = await openSession({
        ...options,
        mcpServers: { calc: createSdkMcpServer({ name: "calc", tools: [add], alwaysLoad: true }) },
        canUseTool: async (name, input) => {
          asked.push(name);
          return name === "Bash"
            ? { behavior: "deny", message: "not today" }
            : { behavior: "allow", updatedInput: input };
        },
      });
      assert.equal(await session.send("Add.").text(), "It is 5.");
      assert.equal(await session.send("Make a file.").text(), "Denied.");
      assert.deepEqual(asked, ["mcp__calc__add", "Bash"]);
      await session.close();
    },
  ),

  pool: onModel([always("Yes.")], async (options) => {
    const pool = createPool({ size: { max: 2 } });
    const calls = [1, 2, 3, 4].map((n) => pool.complete(`Is it ${n}?`, options));
    assert.deepEqual(
      (await Promise.all(calls)).map(({ text }) => text),
      ["Yes.", "Yes.", "Yes.", "Yes."],
    );
    await pool.drain();
  }),

  abort: onModel([hang()], async (options, model) => {
    const controller = new AbortController();
    const call = complete("Wait.", { ...options, signal: controller.signal });
    await model.waitFor(({ kind }) => kind === "call");
    controller.abort();
    await assert.rejects(call, (error) => isHawserError(error, "aborted"));
  }),

  query: onModel(["Hello."], async ({ cliPath, cwd, env }) => {
    const seen = [];
    const options = { pathToClaudeCodeExecutable: cliPath, cwd, env };
    for await (const message of query({ prompt: "Greet me.", options })) {
      const isAnswer = message.type === "result" && message.subtype === "success";
      seen.push(isAnswer ? message.result : message.type);
    }
    assert.deepEqual(seen, ["system", "assistant", "Hello."]);
  }),

  forgotten: onModel([always("Yes.")], async (options) => {
    const session = await openSession(options);
    assert.equal(await session.send("Is it?").text(), "Yes.");
    console.log(`pid ${session.pid}`);
    return "forget";
  }),

  killed: onModel([hang()], async (options, model) => {
    const session = await openSession(options);
    session.send("Wait.").result.catch(() => {});
    await model.waitFor(({ kind }) => kind === "call");
    console.log(`pid ${session.pid}`);
    process.kill(process.pid, "SIGKILL");
    await new Promise(() => {});
  }),

  errors: async () => {
    const missing = complete("x", { cliPath: "/no/such/claude" });
    await assert.rejects(missing, (error) => isHawserError(error, "cli_not_found"));
    const cli = await fakeCli({
      steps: [{ on: "user", do: [{ stderr: "out of rope\n" }, { exit: 3 }] }],
    });
    await assert.rejects(complete("x", { cliPath: cli.path }), (/** @type {any} */ error) => {
      assert.equal(error.name, "HawserError");
      assert.match(error.stderrTail, /out of rope/);
      return isHawserError(error, "process_exited") && error.exitCode === 3;
    });
    await cli.dispose();
  },

  cassette: onModel(["A bowline."], async (options) => {
    const file = join(options.cwd, "knot.jsonl");
    const recorder = await record({ file, cliPath: options.cliPath });
    await complete("Name a knot.", { ...options, cliPath: recorder.path });
    await recorder.dispose();
    const cli = await replay(file);
    const { text } = await complete("Name a knot.", { ...options, cliPath: cli.path });
    assert.equal(text, "A bowline.");
    assert.deepEqual(await cli.mismatches(), []);
    await shutdown();
    await cli.dispose();
  }),

  "fake CLI": async () => {
    const cli = await fakeCli({ steps: [{ on: "user", do: [{ turn: "Hello." }] }] });
    assert.equal((await complete("Greet me.", { cliPath: cli.path })).text, "Hello.");
    cli.assertDone();
    await shutdown();
    await cli.dispose();
  },
};

/** With a simulated model in this process, which the real CLI takes for the API. */
function onModel(replies, run) {
  return async (cliPath) => {
    const model = await SimulatedModel.start({ replies });
    const { env, cwd, dispose } = await isolatedEnv({ baseUrl: model.url });
    const how = await run({ cliPath, cwd, env, inheritEnv: false }, model);
    if (how === "forget") return how;
    await shutdown();
    await dispose();
    await model.close();
  };
}

const [name, cliPath] = process.argv.slice(2);
const how = await SCENARIOS[name](cliPath);
if (how !== "forget") assert.deepEqual(processes(), []);
console.log("passed");
