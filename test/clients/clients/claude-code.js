// Claude Code itself as a client: its requests go to the gateway, whose own CLI asks the model.
import assert from "node:assert/strict";
import { apiError, isolatedEnv, toolUse } from "hawser/testing";
import { nativeCli } from "../../../tools/native-cli.js";
import { toolsAsked } from "../support/asked.js";
import { runChecks } from "../support/checks.js";
import { runProgram } from "../support/run-program.js";
import { MODEL } from "../support/world.js";

await runChecks((world) => {
  const { script, calls } = world;

  async function claude(...args) {
    const place = await isolatedEnv({
      baseUrl: world.url,
      apiKey: world.key,
      extra: { CLAUDE_CODE_MAX_RETRIES: "0" },
    });
    try {
      return await runProgram(
        nativeCli("@anthropic-ai/claude-code"),
        ["--model", MODEL, ...args],
        place,
      );
    } finally {
      await place.dispose();
    }
  }

  return {
    "claude -p: an answer": async () => {
      script("A bowline.");
      const { code, stdout, stderr } = await claude("-p", "Name a knot.");
      assert.equal(code, 0, stdout + stderr);
      assert.equal(stdout.trim(), "A bowline.");
      assert.match(JSON.stringify(calls()[0].body), /Name a knot\./);
    },

    "claude -p: a command and its result": async () => {
      script(
        toolUse(
          "Bash",
          { command: "echo from-the-client", description: "Greets" },
          { id: "toolu_1" },
        ),
        (call) => `It said ${/[\w-]+/.exec(call.toolResults[0]?.text ?? "")}.`,
      );
      const { code, stdout, stderr } = await claude("-p", "Greet.", "--allowedTools=Bash");
      assert.equal(code, 0, stdout + stderr);
      assert.match(stdout, /^It said from-the-client\.$/m);
      assert.ok(calls()[0].tools.includes("Bash"));
      assert.equal(calls()[1].toolResults[0].toolUseId, "toolu_1");
      const bash = toolsAsked(calls()[0]).find(({ name }) => name === "Bash");
      assert.match(bash.description, /\n \n/, "the description of Bash has several paragraphs");
    },

    "claude -p: two commands in one message, then a third": async () => {
      const echo = (word) => toolUse("Bash", { command: `echo ${word}`, description: "Says" });
      script([echo("one"), echo("two")], echo("three"), "Done.");
      const { code, stdout, stderr } = await claude("-p", "Count.", "--allowedTools=Bash");
      assert.equal(code, 0, stdout + stderr);
      assert.equal(stdout.trim(), "Done.");
      // Claude Code sends the results in the order in which the commands end.
      const words = (call) => call.toolResults.map(({ text }) => /\w+/.exec(text)?.[0]).sort();
      assert.deepEqual(words(calls()[1]), ["one", "two"]);
      assert.deepEqual(words(calls()[2]), ["three"]);
    },

    "claude -p: a tool that Claude Code loads on demand": async () => {
      script(toolUse("ToolSearch_", { query: "select:WebFetch", max_results: 1 }), "Done.");
      const { code, stdout, stderr } = await claude("-p", "Load a tool.");
      assert.equal(code, 0, stdout + stderr);
      assert.equal(stdout.trim(), "Done.");
      assert.ok(calls()[0].tools.includes("ToolSearch_"));
      assert.ok(!calls()[0].tools.includes("WebFetch"));
      assert.ok(calls()[1].tools.includes("WebFetch"));
      assert.match(calls()[1].toolResults[0].text, /The tool WebFetch is available\./);
    },

    "claude -p --json-schema": async () => {
      script(toolUse("StructuredOutput_", { knot: "bowline" }));
      const schema = {
        type: "object",
        properties: { knot: { type: "string" } },
        required: ["knot"],
      };
      const { code, stdout, stderr } = await claude(
        "-p",
        "A knot as data.",
        "--output-format=json",
        `--json-schema=${JSON.stringify(schema)}`,
      );
      assert.equal(code, 0, stdout + stderr);
      assert.deepEqual(JSON.parse(stdout).structured_output, { knot: "bowline" });
    },

    "claude -p: a failure of the model is shown": async () => {
      script(apiError(429));
      const { code, stdout, stderr } = await claude("-p", "Hi.");
      assert.equal(code, 1, stdout + stderr);
      assert.match(stdout + stderr, /429|rate limit/i);
    },
  };
});
