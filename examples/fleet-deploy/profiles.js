// What the workers of this fleet can run. A run names a profile; everything else about it is decided here.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** @type {import("@hawser/fleet").WorkOptions["profiles"]} */
export const profiles = {
  // May look, but changes nothing.
  default: { tools: ["Read", "Grep", "Glob"], allowedTools: ["Read", "Grep", "Glob"] },
  // May run commands. A person decides about each of them: see `approve`.
  operator: { tools: ["Bash", "Read", "Grep", "Glob"], allowedTools: ["Read", "Grep", "Glob"] },
};

/** @type {NonNullable<import("@hawser/fleet").WorkOptions["approve"]>} */
export const approve = ({ tool }) => (tool === "Bash" ? "ask" : undefined);

/**
 * An empty folder for each segment. A run that goes on elsewhere begins with an empty folder again, so replace this
 * by a checkout or a volume if the files of a run matter.
 * @type {NonNullable<import("@hawser/fleet").WorkOptions["workspace"]>}
 */
export const workspace = async () => {
  const cwd = await mkdtemp(join(tmpdir(), "run-"));
  return { cwd, dispose: () => rm(cwd, { recursive: true, force: true }) };
};
