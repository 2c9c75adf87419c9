import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/**
 * The executable in the platform package of a wrapper package such as `@anthropic-ai/claude-code`.
 * @param {string} wrapper
 * @param {string} from the file or module from where the wrapper is looked up
 */
export function nativeCli(wrapper, from = import.meta.url) {
  const manifest = createRequire(from).resolve(`${wrapper}/package.json`);
  const fromWrapper = createRequire(manifest);
  const platform = `@anthropic-ai/claude-code-${process.platform}-${process.arch}`;
  const file = process.platform === "win32" ? "claude.exe" : "claude";
  for (const name of [platform, `${platform}-musl`]) {
    try {
      const path = join(dirname(fromWrapper.resolve(`${name}/package.json`)), file);
      if (existsSync(path)) return path;
    } catch {
      // This package is not installed; the next one may be.
    }
  }
  throw new Error(`No native CLI of ${wrapper} for ${process.platform}-${process.arch}`);
}
