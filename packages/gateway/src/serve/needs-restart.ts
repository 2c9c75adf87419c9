import type { ServePlan } from "./serve-plan.js";

/** What a reload cannot change. */
export function needsRestart(before: ServePlan, after: ServePlan): string[] {
  const changed = (name: string, pick: (plan: ServePlan) => unknown) =>
    JSON.stringify(pick(before)) === JSON.stringify(pick(after))
      ? []
      : [`A change of ${name} takes effect after a restart.`];
  return [
    ...changed("listen", ({ config }) => config.listen),
    ...changed("pool", ({ config }) => config.pool),
    ...changed("stateDir", ({ stateDir }) => stateDir),
    ...changed("fleet", ({ database }) => database),
  ];
}
