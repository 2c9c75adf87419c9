import { describe, expect, it } from "vitest";
import { type Options, parseVersion } from "../../src/options/index.js";
import { CLIS, clisInTurn, FULL } from "../support/cli.js";
import { start } from "./start.helper.js";

const allowedTools = Array.from({ length: 600 }, (_, i) => `mcp__server_${i}__tool`);
const disallowedTools = Array.from({ length: 600 }, (_, i) => `Bash(command-${i} *)`);
const additionalDirectories = Array.from(
  { length: 60 },
  (_, i) => `/tmp/folder-${i}-${"x".repeat(80)}`,
);

describe.each(clisInTurn())("the real CLI $name", ({ name, path }) => {
  const version = parseVersion(name) ?? [0, 0, 0];

  async function permissions(options: Options): Promise<[unknown, number]> {
    const lean: Options = { settingSources: [], ...options };
    const { answers, expectedDenyRules } = await start(lean, path, version, ["get_settings"]);
    const effective = answers[1]?.response?.["effective"] as Readonly<Record<string, unknown>>;
    expect(answers[1]?.response?.["errors"] ?? []).toEqual([]);
    return [effective["permissions"], expectedDenyRules];
  }

  it("reads every rule and directory that is passed in a settings file", async () => {
    const settings = { permissions: { allow: ["Glob"], ask: ["Edit"], deny: ["Grep"] } };
    const lists = { allowedTools, disallowedTools, additionalDirectories, settings };
    expect(await permissions(lists)).toEqual([
      {
        allow: ["Glob", ...allowedTools],
        ask: ["Edit"],
        deny: ["Grep", ...disallowedTools],
        additionalDirectories,
      },
      601,
    ]);
  });

  it("reads rules that are passed as settings on the command line", async () => {
    const deny = ["WebFetch", "Bash(rm *)"];
    expect(await permissions({ settings: { permissions: { deny } } })).toEqual([{ deny }, 2]);
  });

  it("reads rules with parentheses inside as whole rules", async () => {
    const disallowedTools = ["Bash(f() g)", "Bash(echo (a), b)", 'Bash(grep "(" *)', "Bash(x))"];
    const deny = ["Bash(f\\(\\) g)", "Bash(echo \\(a\\), b)", 'Bash(grep "\\(" *)', "Bash(x\\))"];
    expect(await permissions({ disallowedTools })).toEqual([{ deny }, 4]);
  });

  it("applies managedSettings", async () => {
    const managedSettings = { permissions: { deny: ["WebFetch"] } };
    expect(await permissions({ managedSettings })).toEqual([{ deny: ["WebFetch"] }, 0]);
  });
});

describe("the newest real CLI", () => {
  const { name = "", path = "" } = CLIS[0] ?? {};
  const version = parseVersion(name) ?? [0, 0, 0];

  it.runIf(FULL)(
    "applies managedSettings that are too long for the command line, or may be secret",
    async () => {
      const many = Array.from({ length: 600 }, (_, i) => `Bash(command-${i} *)`);
      const long = { permissions: { deny: many } };
      const secret = { permissions: { deny: ["WebFetch"] }, env: { A_TOKEN: "canary" } };
      for (const managedSettings of [long, secret]) {
        const { answers } = await start({ managedSettings }, path, version, ["get_settings"]);
        const { permissions } = managedSettings;
        expect(answers[1]?.response?.["effective"]).toEqual({ permissions });
      }
    },
  );
});
