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

describe("exports of the official SDK that hawser does not support", () => {
  it.each<[string, () => unknown]>([
    ["resolveSettings", () => resolveSettings()],
    ["matchDeniedModels", () => matchDeniedModels(["opus"], ["opus"])],
    ["parseDirectConnectUrl", () => parseDirectConnectUrl("cc://localhost/token")],
    ["DirectConnectTransport", () => new DirectConnectTransport({})],
    ["CommandMatcher", () => new CommandMatcher([])],
    ["FileIndex", () => new FileIndex()],
  ])("throw not_supported when used: %s", async (name, use) => {
    const error: unknown = await Promise.resolve()
      .then(use)
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(HawserError);
    expect(error).toMatchObject({ code: "not_supported", hint: expect.stringMatching(/\.$/) });
    expect(String(error)).toContain(`${name}`);
  });
});

describe("filterEscalatingDefaultMode()", () => {
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
  ])("turns %s of the %s settings into %s", (mode, source, left) => {
    const settings: Settings = { model: "m", permissions: { defaultMode: mode, allow: ["Read"] } };
    const sources = [{ source, settings }];
    expect(filterEscalatingDefaultMode({ effective: settings, provenance: {}, sources })).toEqual({
      model: "m",
      permissions: { allow: ["Read"], ...(left === undefined ? {} : { defaultMode: left }) },
    });
  });

  it("decides by the last source that sets the mode", () => {
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

it("AbortError and DirectConnectError are errors with their names", () => {
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

it("LEGACY_TOOL_NAME_ALIASES maps old tool names to new names", () => {
  expect(LEGACY_TOOL_NAME_ALIASES).toMatchObject({ Task: "Agent", KillShell: "TaskStop" });
});
