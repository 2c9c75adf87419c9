import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";

/**
 * Starts a program. Resolves when it runs and has every pipe that `stdio` asks for. Rejects with
 * the system's error.
 *
 * At EMFILE and ENFILE Node's `spawn()` returns a child without any pipe and reports the error on
 * the next tick. So nothing may touch the pipes before the child runs, and the error must have a
 * listener from the start: without one it would end the host program. The listener stays for the
 * life of the child, because a failed `kill()` reports its error in the same way.
 */
export function startChild(
  file: string,
  args: readonly string[],
  options: SpawnOptions,
): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, options);
    child.on("error", reject);
    child.once("spawn", () => resolve(child));
  });
}
