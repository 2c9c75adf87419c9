import { describe, expect, it } from "vitest";
import { HawserError } from "../../src/base/index.js";
import type { ResolvedSettings, Settings } from "../../src/index.js";
import { AbortError } from "../../src/query/abort-error.js";
import { LEGACY_TOOL_NAME_ALIASES } from "../../src/query/official-constants.js";
import {
  CommandMatcher,
  DirectConnectError,
  DirectConnectTransport,
  FileIndex,
  filterEscalatingDefaultMode,
  matchDeniedModels,
  parseDirectConnectUrl,
  resolveSettings,
} from "../../src/query/unsupported-exports.js";

describe("what is not supported", () => {
  it.each<[string, () => unknown]>([
    ["resolveSettings", () => resolveSettings()],
    ["matchDeniedModels", () => matchDeniedModels(["opus"], ["opus"])],
    ["parseDirectConnectUrl", () => parseDirectConnectUrl("cc://localhost/token")],
    ["DirectConnectTransport", () => new DirectConnectTransport({})],
    ["CommandMatcher", () => new CommandMatcher([])],
    ["FileIndex", () => new FileIndex()],
  ])("says so when it is used: %s", async (name, use) => {
    const error: unknown = await Promise.resolve()
      .then(use)
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(HawserError);
    expect(error).toMatchObject({ code: "not_supported", hint: expect.stringMatching(/\.$/) });
    expect(String(error)).toContain(`${name}`);
  });
});

describe("a default mode from settings", () => {
  type Mode = NonNullable<NonNullable<Settings["permissions"]>["defaultMode"]>;
  type Source = ResolvedSettings["sources"][number]["source"];

  it.each<[Mode, Source, Mode | undefined]>([
    ["bypassPermissions", "project", undefined],
    ["auto", "project", undefined],
    ["acceptEdits", "project", undefined],
    ["plan", "project", "plan"],
    ["bypassPermissions", "local", undefined],
    ["auto", "local", undefined],
    ["acceptEdits", "local", "acceptEdits"],
    ["bypassPermissions", "user", "bypassPermissions"],
    ["auto", "managed", "auto"],
    ["acceptEdits", "flag", "acceptEdits"],
  ])("%s of %s becomes %s", (mode, source, left) => {
    const settings: Settings = { model: "m", permissions: { defaultMode: mode, allow: ["Read"] } };
    const sources = [{ source, settings }];
    expect(filterEscalatingDefaultMode({ effective: settings, provenance: {}, sources })).toEqual({
      model: "m",
      permissions: { allow: ["Read"], ...(left === undefined ? {} : { defaultMode: left }) },
    });
  });

  it("is judged by the last source that sets it", () => {
    const settings: Settings = { permissions: { defaultMode: "auto" } };
    const user = { source: "user", settings } as const;
    const project = { source: "project", settings } as const;
    const judge = (sources: ResolvedSettings["sources"]): Settings =>
      filterEscalatingDefaultMode({ effective: settings, provenance: {}, sources });
    expect(judge([user, project])).toEqual({ permissions: {} });
    expect(judge([project, user])).toBe(settings);
    expect(judge([])).toBe(settings);
  });
});

it("the errors of the official SDK are errors", () => {
  const abort = new AbortError("stopped");
  expect([abort instanceof Error, abort.name, abort.message]).toEqual([
    true,
    "AbortError",
    "stopped",
  ]);
  const direct = new DirectConnectError("no", "refused");
  expect([direct instanceof Error, direct.name, direct.code]).toEqual([
    true,
    "DirectConnectError",
    "refused",
  ]);
});

it("older names of tools lead to newer ones", () => {
  expect(LEGACY_TOOL_NAME_ALIASES).toMatchObject({ Task: "Agent", KillShell: "TaskStop" });
});
