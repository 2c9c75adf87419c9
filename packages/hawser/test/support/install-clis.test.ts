import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { installClis } from "./install-clis.js";

/** A folder with a lock file, and an installation that notes for which lock file it was made. */
async function folderWith(lock: string) {
  const folder = await mkdtemp(join(tmpdir(), "install-clis-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const made: string[] = [];
  const write = (text: string) => writeFile(join(folder, "package-lock.json"), text);
  await writeFile(join(folder, "package.json"), "{}");
  await write(lock);
  const install = async (aside: string) => {
    const from = await readFile(join(aside, "package-lock.json"), "utf8");
    made.push(from);
    await mkdir(join(aside, "node_modules"));
    await writeFile(join(aside, "node_modules", "cli"), from);
  };
  const cliIn = (place: string) => readFile(join(place, "node_modules", "cli"), "utf8");
  const count = async () => (await readdir(join(folder, "node_modules"))).length;
  return { folder, write, install, cliIn, count, made };
}

describe("installClis()", () => {
  it("installs once, and again when the lock file has changed", async () => {
    const { folder, write, install, cliIn, count, made } = await folderWith("one");
    const first = await installClis(folder, install);
    expect(await installClis(folder, install)).toBe(first);
    expect([await cliIn(first), made]).toEqual(["one", ["one"]]);
    await write("two");
    const second = await installClis(folder, install);
    expect([await cliIn(second), made]).toEqual(["two", ["one", "two"]]);
    expect(await count()).toBe(1);
  });

  it("gives several runs at the same time one complete installation", async () => {
    const { folder, install, cliIn, count } = await folderWith("one");
    const runs = Array.from({ length: 8 }, async () => {
      const place = await installClis(folder, install);
      return [place, await cliIn(place)];
    });
    const [first, ...others] = await Promise.all(runs);
    expect(first?.[1]).toBe("one");
    for (const other of others) expect(other).toEqual(first);
    expect(await count()).toBe(1);
  });

  it("throws the reason when the installation fails, and tries again the next time", async () => {
    const { folder, install, cliIn, count } = await folderWith("one");
    const broken = async () => Promise.reject(new Error("no network"));
    await expect(installClis(folder, broken)).rejects.toThrow("no network");
    expect(await count()).toBe(0);
    expect(await cliIn(await installClis(folder, install))).toBe("one");
  });
});
