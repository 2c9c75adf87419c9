import { describe, expect, it } from "vitest";
import { isHawserError } from "../../src/base/index.js";
import {
  buildInvocation,
  OPTION_TABLE,
  type OptionName,
  type Options,
  parseVersion,
  type Version,
} from "../../src/options/index.js";
import { clisInTurn, FULL } from "../support/cli.js";
import { batchesOf } from "./batches.helper.js";
import { CASES } from "./cases.helper.js";
import { HOST } from "./facts.helper.js";
import { start } from "./start.helper.js";

/** Options that the CLI knows, and that ask for a session which is not there. */
const OF_A_SESSION: readonly OptionName[] = ["resume", "resumeSessionAt", "resumeDropsTurn"];

/** Tried in tests of their own. */
const APART: readonly OptionName[] = [...OF_A_SESSION, "sandbox", "extraArgs"];
const NO_FILE: readonly unknown[] = ["/etc/settings.json", "/etc/mcp.json"];

const cases = Object.entries(CASES).flatMap(([key, list]) => {
  const name = key as OptionName;
  const { channels } = OPTION_TABLE[name];
  const heard =
    channels.includes("argv") || channels.includes("initialize") || channels.includes("file");
  return heard ? list.map(({ options, adds }) => ({ name, options, adds })) : [];
});

const startable = cases.filter(
  ({ name, options: { settings, mcpServers } }) =>
    !APART.includes(name) && !NO_FILE.includes(settings) && !NO_FILE.includes(mcpServers),
);

/** The first case of each option. A full run tries every case. */
function oneOfEach<Case extends { readonly name: OptionName }>(all: readonly Case[]): Case[] {
  return all.filter(({ name }, i) => FULL || all.findIndex((each) => each.name === name) === i);
}

function isRefused(options: Options, path: string, version: Version): boolean {
  try {
    buildInvocation(options, { path, version }, HOST);
    return false;
  } catch (error) {
    if (isHawserError(error, "unsupported_by_cli")) return true;
    throw error;
  }
}

/** What this library does not send to an older one, by the name of its case. */
const NEWER_THAN: Readonly<Record<string, readonly OptionName[]>> = {
  "2.1.197": [
    "systemPrompt",
    "permissionPrompts",
    "pluginDelivery",
    "perTaskStopAffordance",
    "resumeDropsTurn",
    "managedSettings",
    "projectConfigRoot",
  ],
};

describe.each(clisInTurn())("the real CLI $name", ({ name, path }) => {
  const version = parseVersion(name) ?? [0, 0, 0];
  const refused = cases.filter(({ options }) => isRefused(options, path, version));
  const known = startable.filter((each) => !refused.includes(each));
  const batches = batchesOf(oneOfEach(known), version).map(
    ({ names, options }) => [names, options] as const,
  );

  it("is sent every option but those that it is too old for", () => {
    expect(refused.map((each) => each.name)).toEqual(NEWER_THAN[name] ?? []);
  });

  it.each(batches)("accepts %s", async (_, options) => {
    const { code, answers, stderr } = await start(options, path, version);
    const complaints = stderr.match(/^error.*|unknown option.*/gim);
    expect({ code, answers: answers.map(({ subtype }) => subtype), complaints }).toEqual({
      code: 0,
      answers: ["success"],
      complaints: null,
    });
  });

  const flags = refused.filter(({ adds }) => adds.flags !== undefined);
  it.each(flags)(
    "does not know the flag of $name, which is not sent to it",
    async ({ options }) => {
      const { code, stderr } = await start(options, path, [2, 1, 325]);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringContaining("unknown option"),
      });
    },
  );

  const ofSession = cases.filter((each) => OF_A_SESSION.includes(each.name));
  it.each(ofSession.filter((each) => !refused.includes(each)))(
    "knows $name, and reports that there is no such session",
    async ({ options }) => {
      const { code, stderr } = await start(options, path, version);
      expect(code).toBe(1);
      expect(stderr).toMatch(/No conversation found|does not match any session/);
    },
  );

  it("takes settings and MCP servers by path, and names a file that is missing", async () => {
    const settings = await start({ settings: "/etc/settings.json" }, path, version);
    expect(settings.stderr).toMatch(/Settings file not found: \/etc\/settings\.json/);
    const servers = await start({ mcpServers: "/etc/mcp.json" }, path, version);
    expect(servers.stderr).toMatch(/MCP config file not found: \/etc\/mcp\.json/);
  });

  it("accepts extraArgs with and without a value", async () => {
    const extraArgs = { "replay-user-messages": null, name: "a name" };
    const { code, answers } = await start({ extraArgs }, path, version);
    expect({ code, answers: answers.length }).toEqual({ code: 0, answers: 1 });
  });

  it("exits at an unknown flag", async () => {
    const { code, stderr } = await start({ extraArgs: { nonsense: null } }, path, version);
    expect({ code, stderr }).toEqual({ code: 1, stderr: "error: unknown option '--nonsense'\n" });
  });
});
