import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Runs a TypeScript module of `programs/` in a process of its own. Its input is JSON, and so is its output. */
export async function runProgram(name: string, input: unknown): Promise<unknown> {
  const place = fileURLToPath(new URL(`../programs/${name}`, import.meta.url));
  const vite = pathToFileURL(fileURLToPath(import.meta.resolve("vite"))).href;
  const source = `
    const { runnerImport } = await import(${JSON.stringify(vite)});
    await runnerImport(${JSON.stringify(place)}, { configFile: false, logLevel: "error" });
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", source]);
  child.stdin.end(JSON.stringify(input));
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await once(child, "close")) as [number | null];
  const [out, err] = await output;
  const line = out.trim().split("\n").at(-1) ?? "";
  if (code !== 0 || line === "") throw new Error(`The program ended with ${code}: ${err}${out}`);
  return JSON.parse(line);
}
