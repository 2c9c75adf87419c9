import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";

/** A browser, or why there is none on this machine. */
export type StartedBrowser =
  | { readonly browser: Browser; readonly close: () => Promise<void>; readonly missing: undefined }
  | { readonly browser: undefined; readonly missing: string };

/**
 * Starts the Chromium of the npm package. The package unpacks it to a fixed name in the folder for temporary files, so
 * that each run has such a folder of its own.
 */
export async function startBrowser(): Promise<StartedBrowser> {
  const folder = await mkdtemp(join(tmpdir(), "hawser-browser-"));
  const before = process.env["TMPDIR"];
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    process.env["TMPDIR"] = folder;
    const [{ default: chromium }, { chromium: playwright }] = await Promise.all([
      import("@sparticuz/chromium"),
      import("playwright-core"),
    ]);
    const executablePath = await chromium.executablePath();
    const browser = await playwright.launch({ executablePath, args: chromium.args });
    const close = async () => {
      await browser.close();
      await remove();
    };
    return { browser, close, missing: undefined };
  } catch (error) {
    await remove();
    return { browser: undefined, missing: String(error).split("\n")[0] ?? "no browser" };
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
}
