import { describe, expect, it } from "vitest";
import type { Options } from "../../src/options/index.js";
import { clisInTurn, OLDER_CLI } from "../support/cli.js";
import { RUNS_IN_PROJECT } from "../support/hostile-project.js";
import {
  AGENT,
  LEAN,
  many,
  nothingOn,
  outcomeOf,
  QUERY,
  RULE,
  type Run,
  ranByGit,
  readsGuarded,
  SESSION,
  settingsOf,
} from "./trust-project.helper.js";

describe.each(clisInTurn())("trustProject on $name", ({ path }) => {
  it("is implied by settingSources that name the project", async () => {
    const { ran } = await outcomeOf(path, AGENT, { settingSources: ["user", "project", "local"] });
    expect(ran).toEqual(RUNS_IN_PROJECT);
  });

  it("runs nothing of a project in query() when it is false", async () => {
    expect(await outcomeOf(path, QUERY, { trustProject: false })).toEqual(nothingOn(path));
  });
});

describe.each(clisInTurn())("disallowedTools on $name", ({ path }) => {
  it.each<[string, Options, object]>([
    ["a rule of the project that needs a file", {}, settingsOf(["Bash(echo a\\) b)"])],
    ["many rules of the project", {}, settingsOf(many())],
    ["own rules that need a file", { disallowedTools: [RULE, "Bash(echo (a))"] }, {}],
  ])("keeps the paths of its rules beside %s", async (_, more, settings) => {
    expect(await readsGuarded(path, { disallowedTools: [RULE], ...more }, settings)).toBe(false);
  });
});

describe.each(clisInTurn())("a Git configuration that runs programs, on $name", ({ path }) => {
  it.each<[string, Run, Options]>([
    ["openSession() without setting sources", SESSION, { settingSources: [] }],
    ["complete()", LEAN, {}],
    ['complete() with preset "agent"', AGENT, {}],
  ])("runs none of them in %s", async (_, run, more) => {
    expect(await ranByGit(path, run, more)).toEqual([]);
  });
});

describe("a Git configuration that runs programs", () => {
  it("runs them on the older CLI when the project is trusted", async () => {
    expect(await ranByGit(OLDER_CLI, SESSION, { trustProject: true })).toContain("fsmonitor");
  });
});
