import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A page of two files, so that these tests need no build. Beside it lies a file that no address may reach. */
export function pageFolder(): string {
  const folder = join(mkdtempSync(join(tmpdir(), "inspector-page-")), "page");
  mkdirSync(join(folder, "assets"), { recursive: true });
  writeFileSync(
    join(folder, "index.html"),
    '<!doctype html><script src="assets/app-1.js"></script>\n',
  );
  writeFileSync(join(folder, "assets/app-1.js"), "document.title = 'hawser';\n");
  writeFileSync(join(folder, "assets/notes.md"), "not served\n");
  writeFileSync(join(folder, "..", "secret.js"), "secret\n");
  return folder;
}
