import { dirname } from "node:path";
import type { Logger } from "../../base/index.js";
import type { Invocation } from "../../options/index.js";
import { type Prepared, temporaryPath, temporaryRoot } from "../../process/index.js";
import type { Recipe } from "../binding.js";

export interface SpawnFacts {
  readonly sessionId: string;
  readonly log: Logger;
  /** Whether the process receives its folder only from its first call. */
  readonly roams: boolean;
}

/** How to start one more process from a recipe, with its own session id and its own private files. */
export function spawnPlanOf(recipe: Recipe, { sessionId, log, roams }: SpawnFacts): Prepared {
  const prepared = roams ? withoutImpliedPwd(recipe.prepared, recipe.hasOwnPwd) : recipe.prepared;
  const { argv, ...invocation } = withOwnFiles(prepared.invocation);
  const own = [`--session-id=${sessionId}`, ...(roams ? ["--await-claim"] : [])];
  return {
    ...prepared,
    log,
    invocation: {
      ...invocation,
      argv: [...argv, ...own],
      ...(roams ? { cwd: temporaryRoot() } : {}),
    },
  };
}

/**
 * For a process that receives its folder later. PWD would name the folder of the first caller, so it is
 * left out, unless the caller has set PWD explicitly.
 */
export function withoutImpliedPwd(prepared: Prepared, hasOwnPwd: boolean): Prepared {
  if (hasOwnPwd) return prepared;
  const { PWD: _, ...env } = prepared.invocation.env;
  return { ...prepared, invocation: { ...prepared.invocation, env } };
}

/** Each process has its own private files, because they are removed when it ends. */
function withOwnFiles(invocation: Invocation): Invocation {
  const { files, argv } = invocation;
  if (files[0] === undefined) return invocation;
  const from = dirname(files[0].path);
  const to = temporaryPath();
  return {
    ...invocation,
    argv: argv.map((argument) => argument.replaceAll(from, to)),
    files: files.map((file) => ({ ...file, path: file.path.replace(from, to) })),
  };
}
