// Tests the agent offline, without an account.
//
//   node --test
//
// The same test runs twice: on the fake CLI, which needs no installation, and on the real CLI with
// a simulated model. The second one is skipped if no CLI is installed.
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { isHawserError, locateCli } from "hawser";
import { fakeCli, isolatedEnv, SimulatedModel, toolUse } from "hawser/testing";
import { assist } from "./agent.js";

const NOTE = { line: "The mooring is worn." };
const REMOVE = { command: "rm -rf ./mooring", description: "Remove the mooring" };
const ANSWER = "I have noted it, and removed nothing.";

async function onFakeCli() {
  const note = { tool: "mcp__desk__note", input: NOTE };
  const remove = { tool: "Bash", input: REMOVE };
  const cli = await fakeCli({ steps: [{ on: "user", do: [{ turn: [note, remove, ANSWER] }] }] });
  after(() => cli.dispose());
  return { cliPath: cli.path };
}

async function onSimulatedModel() {
  const replies = [toolUse("mcp__desk__note", NOTE), toolUse("Bash", REMOVE), ANSWER];
  const model = await SimulatedModel.start({ replies });
  const { env, cwd, dispose } = await isolatedEnv({ baseUrl: model.url });
  after(async () => {
    await dispose();
    await model.close();
  });
  return { env, cwd, inheritEnv: false };
}

function hasCli() {
  try {
    return locateCli() !== undefined;
  } catch (error) {
    if (isHawserError(error, "cli_not_found")) return false;
    throw error;
  }
}

const noCli = hasCli() ? false : "no CLI here";

for (const { where, world, skip } of [
  { where: "the fake CLI", world: onFakeCli, skip: false },
  { where: "the real CLI with a simulated model", world: onSimulatedModel, skip: noCli },
]) {
  describe(`the agent on ${where}`, { skip }, () => {
    it("notes by itself, and asks before it removes anything", async () => {
      /** @type {unknown[]} */
      const asked = [];
      /** @param {string} tool @param {Record<string, unknown>} input */
      const approve = async (tool, { command }) => {
        asked.push([tool, command]);
        return false;
      };
      assert.deepEqual(await assist("Look after the mooring.", approve, await world()), {
        text: ANSWER,
        notes: [NOTE.line],
        refused: ["Bash"],
      });
      assert.deepEqual(asked, [["Bash", REMOVE.command]]);
    });
  });
}
