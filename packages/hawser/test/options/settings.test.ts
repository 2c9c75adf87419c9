import { describe, expect, it } from "vitest";
import {
  buildInvocation,
  type HostFacts,
  type Options,
  type SettingsInput,
  settingsPath,
} from "../../src/options/index.js";
import { added, HOST, NEWEST, OLDER } from "./facts.helper.js";
import { refusalOf } from "./refusal.helper.js";

const FILE = "/tmp/hawser-1/settings.json";
const sandbox = { enabled: true };

const withFile = (settings: SettingsInput): HostFacts => ({ ...HOST, settings });
const found = (text: string): HostFacts => withFile({ found: true, text });

describe("settings and sandbox", () => {
  const merged = '{"model":"haiku","sandbox":{"enabled":true,"failIfUnavailable":true}}';

  it.each<[string, Options["settings"] & {}, HostFacts]>([
    ["an object", { model: "haiku" }, HOST],
    ["JSON text", '{"model":"haiku"}', HOST],
    ["a file", "/etc/s.json", found('{"model":"haiku"}')],
  ])("are merged when the settings are %s", (_, settings, host) => {
    expect(added({ settings, sandbox }, NEWEST, host)).toEqual({ flags: ["--settings", merged] });
  });

  it("are merged field by field, the option over the settings", () => {
    const settings = { sandbox: { enabled: false, network: { allowedDomains: ["a"] } } };
    const both = { enabled: true, network: { allowedDomains: ["a"] }, failIfUnavailable: true };
    const flags = ["--settings", JSON.stringify({ sandbox: both })];
    expect(added({ settings, sandbox })).toEqual({ flags });
  });

  it("keep failIfUnavailable: false of the caller", () => {
    const open = { enabled: true, failIfUnavailable: false };
    const flags = ["--settings", JSON.stringify({ sandbox: open })];
    expect(added({ sandbox: open })).toEqual({ flags });
  });
});

describe("settings that cannot be merged", () => {
  const ways: [string, string, HostFacts, string][] = [
    ["text that is not JSON", "{bad", HOST, "settings begins like JSON but is not valid JSON"],
    ["JSON that is no object", "[1]", HOST, "settings is JSON but not an object"],
    [
      "a file that is missing",
      "/etc/s.json",
      withFile({ found: false, reason: "missing" }),
      "settings names the file /etc/s.json, which does not exist",
    ],
    [
      "a file that cannot be read",
      "/etc/s.json",
      withFile({ found: false, reason: "unreadable", message: "EACCES" }),
      "settings names the file /etc/s.json, which cannot be read: EACCES",
    ],
    [
      "a file that is not JSON",
      "/etc/s.json",
      found("{bad"),
      "settings names the file /etc/s.json, which is not valid JSON",
    ],
    [
      "a file without an object",
      "/etc/s.json",
      found("[]"),
      "settings names the file /etc/s.json, which does not hold a JSON object",
    ],
    [
      "a file that nobody has read",
      "/etc/s.json",
      HOST,
      "settings names the file /etc/s.json, whose contents were not passed",
    ],
    [
      "a file that the CLI would drop in silence",
      "/etc/s.json",
      found('{"model":5}'),
      "settings (/etc/s.json).model must be a string",
    ],
  ];

  it.each(ways)("are refused with a message of their own: %s", (_, settings, host, message) => {
    const error = refusalOf({ settings, sandbox }, NEWEST, host);
    expect([error?.code, error?.message]).toEqual(["invalid_options", `${message}.`]);
  });

  it("have one message for each reason", () => {
    expect(new Set(ways.map(([, , , message]) => message)).size).toBe(ways.length);
  });

  it.each(ways)(
    "are left out with a warning with strictSettingsMerge: false: %s",
    (_, settings, host, message) => {
      const options = { settings, sandbox, strictSettingsMerge: false };
      const { argv, warnings } = buildInvocation(options, NEWEST, host);
      expect(argv.slice(-2)).toEqual([
        "--settings",
        '{"sandbox":{"enabled":true,"failIfUnavailable":true}}',
      ]);
      expect(warnings).toEqual([`The settings are left out, and the sandbox is kept: ${message}.`]);
    },
  );

  it("are refused without a sandbox, even with strictSettingsMerge: false", () => {
    const error = refusalOf({ settings: "{bad", strictSettingsMerge: false });
    expect(error?.message).toBe("settings begins like JSON but is not valid JSON.");
  });
});

describe("a settings file", () => {
  it("is passed by its path if there is nothing to merge", () => {
    const host = found('{"permissions":{"deny":["Bash","WebFetch"]}}');
    const { argv, files, expectedDenyRules } = buildInvocation(
      { settings: "s.json" },
      NEWEST,
      host,
    );
    expect([argv.slice(-2), files, expectedDenyRules]).toEqual([["--settings", "s.json"], [], 2]);
  });

  it("is refused before the start if it is missing", () => {
    const host = withFile({ found: false, reason: "missing" });
    expect(refusalOf({ settings: "s.json" }, NEWEST, host)?.message).toContain("does not exist");
  });

  it("cannot become a flag", () => {
    expect(added({ settings: "-s.json" })).toEqual({ flags: ["--settings=-s.json"] });
  });

  it("is distinguished from JSON text", () => {
    const texts = ["a.json", "/a", " { }", "[", "{bad", "C:\\s.json"];
    expect(texts.map((text) => settingsPath(text))).toEqual([
      "a.json",
      "/a",
      undefined,
      undefined,
      undefined,
      "C:\\s.json",
    ]);
    expect([settingsPath({}), settingsPath(undefined)]).toEqual([undefined, undefined]);
  });
});

describe("settings that may hold a secret", () => {
  const settings = { env: { MY_TOKEN: "canary-1", LEVEL: "canary-2" }, apiKeyHelper: "canary-3" };

  it("are passed in a private file, and values that look secret are masked", () => {
    const { argv, files, secrets } = buildInvocation({ settings }, NEWEST, HOST);
    expect(argv.slice(-2)).toEqual(["--settings", FILE]);
    expect(files).toEqual([
      { path: FILE, contents: JSON.stringify(settings), keepUntil: "initialized" },
    ]);
    expect(secrets).toEqual(["canary-1"]);
  });

  it.each([
    [[2, 1, 229] as const, "initialized"],
    [[2, 1, 228] as const, "exit"],
    [OLDER.version, "exit"],
    [undefined, "exit"],
  ])("keep their file as long as CLI %s may read it again", (version, keepUntil) => {
    const { files } = buildInvocation({ settings }, { path: "/c", version }, HOST);
    expect(files.map((file) => file.keepUntil)).toEqual([keepUntil]);
  });
});

describe("allowedTools and disallowedTools", () => {
  it("are merged with the rules of the settings, each once", () => {
    const settings = { permissions: { allow: ["A"], deny: ["B"], defaultMode: "plan" } };
    const disallowedTools = ["B", "Bash(f() g)"];
    const options: Options = { settings, disallowedTools };
    const { argv, expectedDenyRules } = buildInvocation(options, NEWEST, HOST);
    const deny = ["B", "Bash(f\\(\\) g)"];
    const permissions = { allow: ["A"], deny, defaultMode: "plan" };
    expect([argv.at(-1), expectedDenyRules]).toEqual([JSON.stringify({ permissions }), 2]);
  });

  it.each([
    ["Bash(f() g)", "Bash(f\\(\\) g)"],
    ["Bash(echo (a), b)", "Bash(echo \\(a\\), b)"],
    ["Bash(echo \\), b)", "Bash(echo \\), b)"],
  ])("that a list on the command line would split are passed in settings: %s", (rule, escaped) => {
    const { argv } = buildInvocation({ disallowedTools: [rule], tools: ["Bash"] }, NEWEST, HOST);
    const permissions = { deny: [escaped] };
    expect(argv.slice(-2)).toEqual(["--settings", JSON.stringify({ permissions })]);
  });

  it("that look like a secret are passed in a file", () => {
    const options: Options = {
      allowedTools: ["Bash(curl -H Authorization:canary-secret *)"],
      env: { MY_TOKEN: "canary-secret" },
    };
    const { argv, files } = buildInvocation(options, NEWEST, HOST);
    expect(argv.join(" ")).not.toContain("canary-secret");
    expect(files.map(({ contents }) => JSON.parse(contents))).toEqual([
      { permissions: { allow: options.allowedTools } },
    ]);
  });
});
