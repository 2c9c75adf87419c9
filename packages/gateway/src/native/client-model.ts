import { modelNotFound, resolveModel } from "../answer/resolve-model.js";
import type { NativeAccess } from "./native-access.js";

/** The model that a name of a client stands for. An agent has its own field in a request. */
export function clientModel(
  access: NativeAccess,
  name: string,
  models: Readonly<Record<string, string>>,
): string {
  if (access.mayUse?.(name) === false) throw modelNotFound(name);
  const target = resolveModel(name, { models, agents: [] });
  if (target.kind === "completion") return target.model;
  throw modelNotFound(name);
}
