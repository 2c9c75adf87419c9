import { describe, expect, it } from "vitest";
import { buildInvocation, OPTION_TABLE, parseVersion } from "../../src/options/index.js";
import { CASES, type Case } from "./cases.helper.js";
import { type Added, added, FIXED, HOST, NEWEST } from "./facts.helper.js";

const cases = Object.entries(CASES).flatMap(([name, list]) =>
  list.map((each): [string, Case] => [`${name} adds ${textOf(each.adds)}`, each]),
);

/** In words, so that the title of a test says what it asserts. */
function textOf({ flags = [], env = {}, initialize = {}, files = {} }: Added): string {
  const fields = (values: object, sign: string) =>
    Object.entries(values).map(([name, value]) => `${name}${sign}${JSON.stringify(value)}`);
  const all = [...flags, ...fields(env, "="), ...fields(initialize, ": "), ...fields(files, ": ")];
  return all.length === 0 ? "nothing" : `only ${all.join(" ")}`;
}

describe("an option", () => {
  it.each(cases)("%s", (_, { options, adds }) => {
    expect(added(options)).toStrictEqual(adds);
  });

  it("has a row with its channel", () => {
    const silent = Object.entries(OPTION_TABLE).filter(([, { channels }]) => channels.length === 0);
    expect(silent).toEqual([]);
  });

  it("that is passed to the CLI has the version since which the CLI knows it", () => {
    const outbound = Object.entries(OPTION_TABLE).filter(([, { channels, flags }]) => {
      return flags.length > 0 || channels.includes("initialize") || channels.includes("file");
    });
    const unknown = outbound.filter(([, { since }]) => parseVersion(since ?? "") === undefined);
    expect(unknown.map(([name]) => name)).toEqual([]);
  });
});

describe("buildInvocation() without options", () => {
  it("returns the fixed flags, the permission mode and the identity of hawser", () => {
    expect(buildInvocation({}, NEWEST, HOST)).toEqual({
      file: "/usr/bin/claude",
      argv: [...FIXED, "--permission-mode=default"],
      env: {
        PATH: "/usr/bin",
        HOME: "/home/me",
        CLAUDE_CODE_ENTRYPOINT: "sdk-ts",
        CLAUDE_CODE_SDK_READS_SESSION_STATE: "1",
        CLAUDE_CODE_MAX_RETRIES: "1",
      },
      initialize: { subtype: "initialize" },
      files: [],
      secrets: [],
      warnings: [],
      expectedDenyRules: 0,
    });
  });

  it("returns the same for options that are undefined", () => {
    const names = Object.keys(OPTION_TABLE);
    const options = Object.fromEntries(names.map((name) => [name, undefined]));
    expect(buildInvocation(options, NEWEST, HOST)).toEqual(buildInvocation({}, NEWEST, HOST));
  });
});
