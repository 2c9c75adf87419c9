import { expect, it } from "vitest";
import type { FleetModule } from "../../../hawser/src/bin/fleet/fleet-module.js";
import * as command from "../../src/command/index.js";

it("@hawser/fleet/command has what the hawser command calls", () => {
  // The compiler compares the shapes, which both sides write down.
  const module: FleetModule = command;
  expect(Object.values(module).filter((each) => typeof each !== "function")).toEqual([]);
  expect(Object.keys(command)).toEqual(expect.arrayContaining(["submit", "work", "askApprovals"]));
});
