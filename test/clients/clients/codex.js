// codex as a whole program, with the gateway as a provider of its own.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { toolUse } from "hawser/testing";
import { runChecks } from "../support/checks.js";
import { runProgram } from "../support/run-program.js";
import { MODEL } from "../support/world.js";

const CODEX = join(
  dirname(createRequire(import.meta.url).resolve("@openai/codex/package.json")),
  "bin/codex.js",
);

await runChecks((world) => {
  const { script, calls } = world;
  const home = join(process.env.HOME ?? "", "codex-home");
  const work = join(process.env.HOME ?? "", "codex-work");
  mkdirSync(home);
  mkdirSync(work);

  /** Runs `codex exec`. Nothing but this machine can be reached. */
  function codex(config, ...args) {
    writeFileSync(
      join(home, "config.toml"),
      `model = "${MODEL}"
model_provider = "hawser"
check_for_update_on_startup = false
${config}
[model_providers.hawser]
name = "hawser"
base_url = "${world.url}/v1"
env_key = "HAWSER_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
`,
    );
    const nowhere = "http://127.0.0.1:9";
    return runProgram(
      process.execPath,
      [
        CODEX,
        "exec",
        "--skip-git-repo-check",
        "--dangerously-bypass-approvals-and-sandbox",
        ...args,
      ],
      {
        cwd: work,
        env: {
          HOME: home,
          CODEX_HOME: home,
          TMPDIR: home,
          PATH: process.env.PATH ?? "",
          HAWSER_KEY: world.key,
          HTTP_PROXY: nowhere,
          HTTPS_PROXY: nowhere,
          NO_PROXY: "127.0.0.1",
        },
      },
    );
  }

  // OpenAI's servers would run the search, so the gateway refuses it.
  const plain = 'web_search = "disabled"';

  return {
    "codex exec: an answer": async () => {
      script("A bowline.");
      const { code, stdout, stderr } = await codex(plain, "Name a knot.");
      assert.equal(code, 0, stdout + stderr);
      assert.equal(stdout.trim(), "A bowline.");
      assert.match(calls()[0].system, /Codex CLI/);
      assert.match(calls()[0].prompt, /Name a knot\./);
    },

    "codex exec: a command and its result": async () => {
      script(
        toolUse("exec_command", { cmd: "echo from-codex" }, { id: "toolu_1" }),
        (call) => `It said ${/from-\w+/.exec(call.toolResults[0]?.text ?? "")}.`,
      );
      const { code, stdout, stderr } = await codex(plain, "Greet.");
      assert.equal(code, 0, stdout + stderr);
      assert.equal(stdout.trim(), "It said from-codex.");
      assert.ok(calls()[0].tools.includes("exec_command"));
      assert.equal(calls()[1].toolResults[0].toolUseId, "toolu_1");
    },

    "codex exec: a tool of a group": async () => {
      script(toolUse("multi_agent_v1__close_agent", { target: "nobody" }), "Nobody is there.");
      const { code, stdout, stderr } = await codex(plain, "Close the agent.");
      assert.equal(code, 0, stdout + stderr);
      assert.equal(stdout.trim(), "Nobody is there.");
      assert.ok(calls()[0].tools.includes("multi_agent_v1__spawn_agent"));
      assert.match(calls()[1].toolResults[0].text, /nobody/);
      assert.doesNotMatch(calls()[1].toolResults[0].text, /unsupported call/);
    },

    "codex exec: a search is refused, with what to do": async () => {
      const { code, stdout, stderr } = await codex("", "Search.");
      assert.notEqual(code, 0);
      assert.match(stdout + stderr, /no hosted tool web_search/);
    },

    'codex exec: a search is left out with hostedTools: "ignore"': async () => {
      await world.configure({ hostedTools: "ignore" });
      try {
        script("A bowline.");
        const { code, stdout, stderr } = await codex("", "Name a knot.");
        assert.equal(code, 0, stdout + stderr);
        assert.equal(stdout.trim(), "A bowline.");
        assert.ok(calls()[0].tools.includes("exec_command"));
        assert.ok(!calls()[0].tools.some((name) => /search/i.test(name)));
      } finally {
        await world.configure();
      }
    },

    "codex exec: two commands in one message, then a third": async () => {
      const echo = (word) => toolUse("exec_command", { cmd: `echo ${word}` });
      script([echo("one"), echo("two")], echo("three"), "Done.");
      const { code, stdout, stderr } = await codex(plain, "Count.");
      assert.equal(code, 0, stdout + stderr);
      assert.equal(stdout.trim(), "Done.");
      const words = calls()[1].toolResults.map(({ text }) => /one|two/.exec(text)?.[0]);
      assert.deepEqual(words, ["one", "two"]);
      assert.match(calls()[2].toolResults[0].text, /three/);
    },
  };
});
