import { omitUndefined } from "../../base/index.js";
import type { Options } from "../options.js";

/** Options with the defaults that every call shares. */
export type Resolved = Options & Defaults;

type Defaulted = "permissionMode" | "nested" | "inheritEnv" | "strictSettingsMerge" | "onOldCli";

type Defaults = { readonly [Name in Defaulted]: NonNullable<Options[Name]> };

const DEFAULTS: Defaults = {
  permissionMode: "default",
  nested: "strip",
  inheritEnv: true,
  strictSettingsMerge: true,
  onOldCli: "error",
};

export function withDefaults(options: Options): Resolved {
  return { ...DEFAULTS, ...omitUndefined(options) } as Resolved;
}
