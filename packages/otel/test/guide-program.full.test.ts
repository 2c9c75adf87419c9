import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { MODEL, otelWorld } from "./support/otel-world.js";
import { OtlpReceiver } from "./support/otlp-receiver.js";

const REPOSITORY = fileURLToPath(new URL("../../../", import.meta.url));
const APP = `
import { complete } from "hawser";
console.log((await complete("Name a knot.", { model: "${MODEL}" })).text);
`;

const world = otelWorld();

describe("telemetry.mjs of the guide", () => {
  it("sends all spans and metrics of a program that ends at once", async () => {
    const receiver = await OtlpReceiver.start();
    onTestFinished(() => receiver.close());
    const folder = await mkdtemp(join(tmpdir(), "hawser-otel-guide-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await symlink(join(REPOSITORY, "node_modules"), join(folder, "node_modules"));
    const guide = await readFile(join(REPOSITORY, "docs/observability.md"), "utf8");
    const [, program = ""] = /```js\n(\/\/ telemetry\.mjs\n.*?)```/s.exec(guide) ?? [];
    await writeFile(join(folder, "telemetry.mjs"), program);
    await writeFile(join(folder, "app.mjs"), APP);
    world.script("A bowline.");
    const { cliPath = "" } = world.options;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--import", "./telemetry.mjs", "app.mjs"],
      {
        cwd: folder,
        env: {
          ...world.place.env,
          HAWSER_CLI: cliPath,
          OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        },
      },
    );
    expect(stdout).toBe("A bowline.\n");
    const names = receiver.spans.map(({ name }) => name);
    expect(names.sort()).toEqual([`chat ${MODEL}`, "invoke_agent"]);
    expect(receiver.metricNames).toContain("hawser.calls");
  }, 60_000);
});
