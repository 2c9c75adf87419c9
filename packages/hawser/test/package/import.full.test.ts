import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { dirname, join, posix, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PackedProject, packedProject } from "./project.helper.js";

let packed: PackedProject;

beforeAll(() => {
  packed = packedProject();
});

afterAll(() => rmSync(packed.folder, { recursive: true, force: true }));

describe("import of hawser", () => {
  it("loads no file of hawser/providers, of hawser/testing or of the command", () => {
    const files = filesOf("dist/index.js");
    expect(files.filter((file) => !/^dist\/(index|shared\/[^/]+)\.js$/.test(file))).toEqual([]);
    const code = codeOf(files);
    // Nor is there, in a file that is shared, what only those three have.
    for (const [entry, mark] of [
      ["dist/providers/index.js", /\bClaudeCodeProvider\b/],
      ["dist/providers/index.js", /\bclaude-opus-4-6\b/],
      ["dist/testing/index.js", /\bSimulatedModel\b/],
      ["dist/testing/index.js", /\bdummy-api-key\b/],
      ["dist/bin/main.js", /\bhawser ask --offline\b/],
    ] as const) {
      expect(codeOf(filesOf(entry))).toMatch(mark);
      expect(code).not.toMatch(mark);
    }
    expect(filesOf("dist/testing/index.js").join()).not.toContain("dist/index.js");
  });

  it("does not load the schema validator and the functions for transcripts", () => {
    const code = codeOf(filesOf("dist/index.js"));
    for (const [file, mark] of [
      ["dist/shared/schema.js", /\bfunction compileSchema\b/],
      ["dist/shared/transcripts.js", /\bfunction findConversation\b/],
    ] as const) {
      expect(codeOf([file])).toMatch(mark);
      expect(code).not.toMatch(mark);
    }
  });

  it("loads little of Node: what starts processes and makes ids is loaded by the first call", () => {
    const source = `
      const before = new Set(process.moduleLoadList);
      await import("hawser");
      const added = process.moduleLoadList.filter((name) => !before.has(name));
      console.log(JSON.stringify(added));`;
    const loaded = JSON.parse(evaluate(source)) as string[];
    const modules = loaded.flatMap(
      (name) => /^NativeModule ([a-z_]+(?:\/promises)?)$/.exec(name)?.[1] ?? [],
    );
    // Not worker_threads: from Node 22 on, node:util brings them along.
    const heavy = ["http", "https", "http2", "tls", "inspector", "readline", "repl"];
    expect(modules).toContain("diagnostics_channel");
    // They take several milliseconds.
    expect(modules).not.toContain("child_process");
    expect(modules).not.toContain("crypto");
    expect(modules).not.toContain("net");
    // An `import` of node:fs would read its exports, and so load its streams.
    expect(loaded).not.toContain("NativeModule internal/fs/streams");
    expect(
      modules.filter((name) => [...heavy, "test", "sqlite", "wasi", "zlib"].includes(name)),
    ).toEqual([]);
  });

  it("shares its classes with hawser/providers, whichever is loaded first", () => {
    for (const entries of [
      ["hawser", "hawser/providers"],
      ["hawser/providers", "hawser"],
    ]) {
      const source = `
        const modules = {};
        for (const entry of ${JSON.stringify(entries)}) modules[entry] = await import(entry);
        const { HawserError, isHawserError, createPool } = modules.hawser;
        const { ClaudeCliProvider, toMagiError } = modules["hawser/providers"];
        let error;
        try { new ClaudeCliProvider("nothing"); } catch (thrown) { error = thrown; }
        const pool = createPool();
        new ClaudeCliProvider("opus", { pool, nested: "strip" });
        await pool.close();
        console.log(error instanceof HawserError, isHawserError(error, "auth"), toMagiError(error).kind);`;
      expect(evaluate(source)).toBe("true true Auth\n");
    }
  });

  it("prints nothing and does not keep a program alive", () => {
    expect(evaluate('await import("hawser"); console.log("loaded");')).toBe("loaded\n");
    expect(evaluate('console.log(typeof require("hawser").complete);', "commonjs")).toBe(
      "function\n",
    );
  });
});

/** A file of the package and all that it imports when it is loaded. */
function filesOf(entry: string): string[] {
  const files = new Set([entry]);
  for (const file of files) {
    const code = readFileSync(join(packed.installed, file), "utf8");
    for (const [, path = ""] of code.matchAll(/(?:from|import) ?"(\.[^"]+)"/g)) {
      files.add(posix.join(dirname(file), path));
    }
  }
  return [...files].map((file) => relative(".", file));
}

function codeOf(files: readonly string[]): string {
  return files.map((file) => readFileSync(join(packed.installed, file), "utf8")).join("\n");
}

function evaluate(source: string, type = "module"): string {
  const args = [`--input-type=${type}`, "--disable-warning=ExperimentalWarning", "-e", source];
  const options = { cwd: packed.folder, encoding: "utf8", timeout: 30_000 } as const;
  return execFileSync(process.execPath, args, options);
}
