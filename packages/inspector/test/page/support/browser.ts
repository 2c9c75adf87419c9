import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";

/** A browser that a test has started. */
export interface StartedBrowser {
  readonly browser: Browser;
  close(): Promise<void>;
}

/**
 * The flags of the package for functions without room for processes. With them, a closed context would end the whole
 * browser, and the rules between sites would not hold.
 */
const UNWANTED =
  /single-process|no-zygote|disable-web-security|insecure-content|site-isolation|site-per-process/;

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
    const args = chromium.args.filter((flag) => !UNWANTED.test(flag));
    const browser = await playwright.launch({ executablePath, args });
    return {
      browser,
      async close() {
        await browser.close();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
}
