import { readFileSync } from "node:fs";
import { win32 } from "node:path";

/**
 * The file that an npm `.cmd` shim starts. A shim is never run: that takes a shell, and a shell
 * reads the arguments again.
 */
export function shimTarget(
  shim: string,
  text: string = readFileSync(shim, "utf8"),
): string | undefined {
  const targets = [...text.matchAll(/%(?:~dp0|dp0%)\\?([^"%\r\n]+?\.(?:exe|[cm]?js))"/gi)]
    .map((match) => match[1])
    .filter((target) => target !== undefined && !/(?:^|\\)node\.exe$/i.test(target));
  const target = targets[0];
  return target === undefined ? undefined : win32.join(win32.dirname(shim), target);
}
