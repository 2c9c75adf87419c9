// Bundles our side from the source, so that the source is compared and not an earlier build.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const src = fileURLToPath(new URL("../../packages/hawser/src", import.meta.url));

export async function loadOurs() {
  const dir = mkdtempSync(join(tmpdir(), "hawser-parity-"));
  process.on("exit", () => rmSync(dir, { recursive: true, force: true }));
  const bundled = await rolldown({
    input: {
      transcripts: join(src, "transcripts", "index.ts"),
      testing: join(src, "testing", "index.ts"),
    },
    platform: "node",
    external: /^node:/,
    resolve: { extensionAlias: { ".js": [".ts"] } },
    logLevel: "silent",
  });
  await bundled.write({ dir, format: "esm", entryFileNames: "[name].mjs" });
  const load = (name) => import(pathToFileURL(join(dir, `${name}.mjs`)).href);
  return { transcripts: await load("transcripts"), testing: await load("testing") };
}
