import type { Options } from "./options.js";

/** Options with the defaults that every call shares. */
export type Resolved = Options & Required<Pick<Options, Defaulted>>;

type Defaulted = "permissionMode" | "nested" | "inheritEnv" | "strictSettingsMerge" | "onOldCli";

const DEFAULTS: Required<Pick<Options, Defaulted>> = {
  permissionMode: "default",
  nested: "strip",
  inheritEnv: true,
  strictSettingsMerge: true,
  onOldCli: "error",
};

/** A copy in which an option that is given as `undefined` is not given. */
export function resolveOptions(options: Options): Resolved {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return { ...DEFAULTS, ...(Object.fromEntries(given) as Options) };
}
