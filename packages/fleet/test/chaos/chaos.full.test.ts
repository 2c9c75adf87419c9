import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const PROGRAM = fileURLToPath(new URL("chaos.js", import.meta.url));
const SEED = process.env["HAWSER_SEED"] ?? "6";

it("every run is settled once, every result booked once and nothing left, whatever is killed, stopped or cut off meanwhile", async () => {
  const args = ["--runs=10", "--seconds=12", "--tenants=4", `--seed=${SEED}`];
  const program = spawn(process.execPath, [PROGRAM, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said, [code]] = await Promise.all([text(program.stdout), once(program, "exit")]);
  const told = JSON.parse(said.slice(said.indexOf("\n{"))) as {
    readonly problems: readonly string[];
    readonly submitted: number;
    readonly requests: number;
    readonly faults: Readonly<Record<string, number>>;
  };
  expect(told.problems, said).toEqual([]);
  expect(code).toBe(0);
  expect(told.submitted).toBe(10);
  expect(told.requests).toBeGreaterThan(10);
  expect(Object.keys(told.faults).length).toBeGreaterThan(1);
}, 400_000);
