import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { HawserError } from "hawser";

/**
 * Opens the address in the browser of this user. Other users can see the arguments of a program, so that the browser
 * gets the name of a private file that leads to the address, and not the token. The returned function removes the
 * file; it is also removed after a minute, and at the end of the program.
 */
export async function openBrowser(url: string, folder: string): Promise<() => void> {
  const file = join(folder, `inspect-${process.pid}.html`);
  await rm(file, { force: true });
  const handle = await open(file, "wx", 0o600);
  const remove = () => {
    clearTimeout(timer);
    process.off("exit", remove);
    rmSync(file, { force: true });
  };
  const timer = setTimeout(remove, LOAD_MS).unref();
  process.once("exit", remove);
  try {
    await handle.writeFile(`<!doctype html><meta http-equiv="refresh" content="0; url=${url}">\n`);
    await handle.close();
    await startBrowser(pathToFileURL(file).href);
  } catch (error) {
    remove();
    throw error;
  }
  return remove;
}

/** Removes the files of commands that were killed before a browser had loaded them. */
export async function removeLeftFiles(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const left = names.filter((name) => {
    const pid = /^inspect(?:-(\d+))?\.html$/.exec(name);
    return pid !== null && (pid[1] === undefined || !isAlive(Number(pid[1])));
  });
  await Promise.all(left.map((name) => rm(join(folder, name), { force: true })));
}

const LOAD_MS = 60_000;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function startBrowser(url: string): Promise<void> {
  const [program, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  const child = spawn(program as string, [...args, url], { stdio: "ignore", detached: true });
  try {
    await once(child, "spawn");
    child.unref();
  } catch (cause) {
    throw new HawserError("not_supported", "There is no program that opens the browser.", {
      hint: "Open the address that was printed.",
      cause,
    });
  }
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};
