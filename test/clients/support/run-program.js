import { spawn } from "node:child_process";

/**
 * Runs a program and resolves to its output and its exit code.
 * @param {string} file
 * @param {readonly string[]} args
 * @param {{ cwd: string, env: Record<string, string> }} options
 */
export function runProgram(file, args, { cwd, env }) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (piece) => {
      stdout += piece;
    });
    child.stderr.setEncoding("utf8").on("data", (piece) => {
      stderr += piece;
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}
