import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { removeLeftFiles } from "../../src/machine/open-browser.js";
import { CommandWorld } from "./command-world.helper.js";
import { jsonOf } from "./json-of.helper.js";

let world: CommandWorld;

afterEach(() => world.close());

/** A program in place of `xdg-open`. It writes what it was given and found, and may load the page as a browser does. */
function fakeBrowser(loads: boolean): string {
  const report = join(world.folder, "report.json");
  const program = `#!${process.execPath}
const { readFileSync, renameSync, statSync, writeFileSync } = require("node:fs");
const { fileURLToPath } = require("node:url");
const args = process.argv.slice(2);
const file = fileURLToPath(args[0]);
const html = readFileSync(file, "utf8");
const mode = statSync(file).mode & 0o777;
const url = /url=([^"]+)/.exec(html)[1];
(async () => {
  const response = ${loads} ? await fetch(url, { redirect: "manual" }) : undefined;
  const facts = { args, file, mode, url, status: response?.status, location: response?.headers.get("location") };
  writeFileSync(${JSON.stringify(report)} + ".new", JSON.stringify(facts));
  renameSync(${JSON.stringify(report)} + ".new", ${JSON.stringify(report)});
})();
`;
  mkdirSync(world.binFolder, { recursive: true });
  writeFileSync(join(world.binFolder, "xdg-open"), program, { mode: 0o755 });
  return report;
}

async function reportIn(file: string) {
  await expect.poll(() => existsSync(file)).toBe(true);
  return JSON.parse(readFileSync(file, "utf8"));
}

describe.skipIf(process.platform !== "linux")("hawser inspect --open", { timeout: 300_000 }, () => {
  it("opens the page by a private file, shows no token among the arguments, and removes the file once it was loaded", async () => {
    world = new CommandWorld();
    const report = fakeBrowser(true);
    const { first } = await world.inspect("--port", "0", "--open");
    const { args, file, mode, url, status, location } = await reportIn(report);
    const { origin, hash } = new URL(first.url);
    const token = hash.replace("#token=", "");
    expect(args).toHaveLength(1);
    expect(args[0]).toMatch(/^file:\/\/\/.*\.html$/);
    expect(args[0]).not.toContain(token);
    expect(mode).toBe(0o600);
    // A browser keeps the fragment with the token when it is led on.
    expect([status, location, new URL(url).hash]).toEqual([303, "/", hash]);
    await expect.poll(() => existsSync(file)).toBe(false);
    expect(readdirSync(join(file, ".."))).toEqual(["inspect-token"]);
    // The address in the file works once.
    expect((await fetch(url, { redirect: "manual" })).status).toBe(404);
    const headers = { authorization: `Bearer ${token}` };
    expect((await jsonOf(fetch(`${origin}/sources`, { headers }))).canControl).toBe(true);
  });

  it("removes the file at its end, if no browser has loaded it", async () => {
    world = new CommandWorld();
    const report = fakeBrowser(false);
    const { child } = await world.inspect("--port", "0", "--open", "--read-only");
    const { file, url } = await reportIn(report);
    expect(existsSync(file)).toBe(true);
    expect(new URL(url).hash).not.toBe("");
    const exited = new Promise((resolve) => child.once("exit", (code) => resolve(code)));
    child.kill("SIGTERM");
    expect(await exited).toBe(0);
    expect(existsSync(file)).toBe(false);
  });

  it("goes on without a program that opens a browser", async () => {
    world = new CommandWorld();
    mkdirSync(world.binFolder);
    const { first } = await world.inspectWithPath(world.binFolder, "--port", "0", "--open");
    expect((await fetch(new URL(first.url).origin)).status).toBe(200);
    const folder = join(world.folder, "state/hawser");
    await expect.poll(() => readdirSync(folder)).toEqual(["inspect-token"]);
  });
});

describe("removeLeftFiles()", () => {
  it("removes the files of commands that were killed, and no others", async () => {
    world = new CommandWorld();
    const names = [
      "inspect.html",
      "inspect-999999999.html",
      `inspect-${process.pid}.html`,
      "a.html",
    ];
    for (const name of names) writeFileSync(join(world.folder, name), "");
    await removeLeftFiles(world.folder);
    expect(readdirSync(world.folder).sort()).toEqual(["a.html", `inspect-${process.pid}.html`]);
    await removeLeftFiles(join(world.folder, "none"));
  });
});
