import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { checkCli, prepare } from "../../src/process/index.js";
import { installedVersion } from "../../src/process/probe/installed-version.js";
import { clisInTurn } from "../support/cli.js";
import { CAN_BE_FOREIGN, forOtherLibc, forOtherProcessor } from "../support/foreign.js";

const WRAPPER = "@anthropic-ai/claude-code";
const PLATFORM = `${WRAPPER}-${process.platform}-${process.arch}`;
/** A program of this machine that says nothing, so that only its installation tells a version. */
const TRUE = "/bin/true";
const EXPECTED = [2, 1, 325];

function folder(): string {
  const made = mkdtempSync(join(realpathSync(tmpdir()), "hawser-installed-"));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

/** A program at this path below a new folder. */
function native(path: string): string {
  const file = join(folder(), path);
  mkdirSync(dirname(file), { recursive: true });
  copyFileSync(TRUE, file);
  return file;
}

function script(path: string, text: string | Buffer): string {
  const file = join(folder(), path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, 0o755);
  return file;
}

function manifest(place: string, facts: object): void {
  const version = "2.1.325";
  writeFileSync(join(place, "package.json"), JSON.stringify({ version, ...facts }));
}

/** The program in the package of this platform, as npm installs it. */
function platformPackage(facts: object = {}): string {
  const file = native("claude");
  manifest(dirname(file), { name: PLATFORM, files: ["claude", "README.md"], ...facts });
  return file;
}

describe.skipIf(process.platform === "win32")("installedVersion()", () => {
  it("reads the manifest of the platform's package", () => {
    expect(installedVersion(platformPackage())).toEqual(EXPECTED);
  });

  it("reads the manifest of the main package, one folder above the program", () => {
    const file = native("bin/claude.exe");
    manifest(join(dirname(file), ".."), { name: WRAPPER, bin: { claude: "bin/claude.exe" } });
    expect(installedVersion(file)).toEqual(EXPECTED);
  });

  it("reads the manifest of the large script of an earlier CLI", () => {
    const file = script("cli.js", `#!/usr/bin/env node\n//${" ".repeat(2 ** 20)}`);
    manifest(dirname(file), { name: WRAPPER, bin: { claude: "cli.js" } });
    expect(installedVersion(file)).toEqual(EXPECTED);
  });

  it("reads the path of the native installer", () => {
    expect(installedVersion(native("claude/versions/2.1.325"))).toEqual(EXPECTED);
  });

  it("follows a symbolic link to the program", () => {
    for (const target of [platformPackage(), native("claude/versions/2.1.325")]) {
      const link = join(folder(), "claude");
      symlinkSync(target, link);
      expect(installedVersion(link)).toEqual(EXPECTED);
    }
  });

  it.each(clisInTurn())("agrees with the answer of the real CLI $name", async ({ name, path }) => {
    expect(installedVersion(path)?.join(".")).toBe(name);
    expect((await checkCli({ cliPath: path })).version).toBe(name);
  });

  it.each<[string, () => string]>([
    ["a program without a manifest", () => native("claude")],
    [
      "a wrapper script in the place of the program",
      () => {
        const file = platformPackage();
        writeFileSync(file, "#!/bin/sh\nexec /opt/another/claude\n");
        return file;
      },
    ],
    [
      "a wrapper script with the name of a version",
      () => script("claude/versions/2.1.325", "#!/bin/sh\nexec /opt/another/claude\n"),
    ],
    [
      "a small script that the manifest lists as the CLI",
      () => {
        const file = script("cli.js", 'import "/opt/another/cli.js";\n');
        manifest(dirname(file), { name: WRAPPER, bin: { claude: "cli.js" } });
        return file;
      },
    ],
    [
      "a link in the package to a program elsewhere",
      () => {
        const file = platformPackage();
        rmSync(file);
        symlinkSync(native("another/claude"), file);
        return file;
      },
    ],
    ["a package of another name", () => platformPackage({ name: "claude" })],
    ["a package of another platform", () => platformPackage({ name: `${WRAPPER}-plan9-x64` })],
    ["a manifest that does not list the program", () => platformPackage({ files: ["README.md"] })],
    [
      "a manifest that lists another program as the CLI",
      () => {
        const file = native("bin/claude-helper");
        manifest(join(dirname(file), ".."), { name: WRAPPER, bin: { claude: "bin/claude.exe" } });
        return file;
      },
    ],
    ["a version with a tag", () => platformPackage({ version: "2.1.325-beta.1" })],
    ["a manifest without a version", () => platformPackage({ version: undefined })],
    [
      "a manifest that is not JSON",
      () => {
        const file = platformPackage();
        writeFileSync(join(dirname(file), "package.json"), "{");
        return file;
      },
    ],
    [
      "a program that was replaced after the installation",
      () => {
        const file = platformPackage();
        utimesSync(join(dirname(file), "package.json"), new Date(), new Date(Date.now() - 3.6e6));
        return file;
      },
    ],
    [
      "a program that was replaced by an older one",
      () => {
        const file = platformPackage();
        utimesSync(file, new Date(), new Date(Date.now() - 3.6e6));
        return file;
      },
    ],
    ["a folder `versions` of another program", () => native("other/versions/2.1.325")],
    ["a name that only begins like a version", () => native("claude/versions/2.1.325.old")],
    ["a missing file", () => "/no/such/claude"],
  ])("does not believe %s", (_, file) => {
    expect(installedVersion(file())).toBeUndefined();
  });

  it.skipIf(!CAN_BE_FOREIGN)("does not believe a program of another machine", () => {
    for (const bytes of [forOtherLibc(), forOtherProcessor().bytes]) {
      expect(installedVersion(script("claude/versions/2.1.325", bytes))).toBeUndefined();
    }
  });
});

describe.skipIf(process.platform === "win32")("prepare() of an installed CLI", () => {
  it("does not ask the executable for its version", async () => {
    const cliPath = platformPackage();
    const prepared = await prepare({ cliPath });
    expect(prepared).toMatchObject({
      version: EXPECTED,
      versionText: "2.1.325 (Claude Code)",
      isVersionUnconfirmed: true,
      facts: { cliPath, cliVersion: "2.1.325" },
    });
  });

  it("asks the executable if its owner does not verify the version", async () => {
    const prepared = await prepare({ cliPath: platformPackage(), onOldCli: "ignore" }, "asked");
    expect(prepared).toMatchObject({ version: undefined, isVersionUnconfirmed: false });
  });

  it("reads the version again after the program was replaced", async () => {
    const cliPath = platformPackage();
    await prepare({ cliPath });
    rmSync(cliPath);
    copyFileSync(TRUE, cliPath);
    manifest(dirname(cliPath), { name: PLATFORM, files: ["claude"], version: "2.1.400" });
    expect((await prepare({ cliPath })).version).toEqual([2, 1, 400]);
  });

  it("prefers what the executable has answered to checkCli()", async () => {
    const cliPath = platformPackage();
    const report = await checkCli({ cliPath });
    expect(report).toMatchObject({
      runnable: true,
      doubt: expect.stringContaining("says nothing"),
    });
    expect(report.version).toBeUndefined();
  });
});
