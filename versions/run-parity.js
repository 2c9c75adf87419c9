import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const REPOSITORY = fileURLToPath(new URL("..", import.meta.url));

/** The programs of `npm run parity`. */
const PROGRAMS = ["run.js", "types/run.js", "transcripts/run.js", "cassettes.js", "fake-cli.js"];

/**
 * Runs the programs of `npm run parity` on another CLI and another official SDK. They run in a copy of the
 * folder, because they find both by the name of their packages.
 * @param {string} modules a `node_modules` folder with both packages
 * @param {(line: string) => void} tell
 * @returns {Promise<{ program: string, code: number | null, output: string }[]>}
 */
export async function runParity(modules, tell) {
  const copy = mkdtempSync(join(tmpdir(), "hawser-parity-"));
  try {
    copyPrograms(copy, modules);
    const outcomes = [];
    for (const program of PROGRAMS) {
      const outcome = await run(copy, program);
      tell(`${outcome.code === 0 ? "the same" : "different"}  parity/${program}`);
      outcomes.push(outcome);
    }
    return outcomes;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/**
 * @param {string} copy
 * @param {string} modules
 */
function copyPrograms(copy, modules) {
  const isOwn = (path) => basename(path) !== "node_modules";
  for (const folder of ["parity", "tools"]) {
    cpSync(join(REPOSITORY, folder), join(copy, folder), { recursive: true, filter: isOwn });
  }
  for (const name of ["package.json", "tsconfig.json"]) {
    cpSync(join(REPOSITORY, name), join(copy, name));
  }
  symlinkSync(join(REPOSITORY, "packages"), join(copy, "packages"));
  const target = join(copy, "node_modules");
  mkdirSync(target);
  for (const name of readdirSync(join(REPOSITORY, "node_modules"))) {
    if (name !== SCOPE) symlinkSync(join(REPOSITORY, "node_modules", name), join(target, name));
  }
  symlinkSync(join(modules, SCOPE), join(target, SCOPE));
}

const SCOPE = "@anthropic-ai";

/**
 * @param {string} cwd
 * @param {string} program
 */
async function run(cwd, program) {
  const child = spawn(process.execPath, [join("parity", program)], {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (text) => {
      output += text;
    });
  }
  const [code] = await once(child, "close");
  return { program, code, output };
}
