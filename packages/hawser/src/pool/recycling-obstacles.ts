import type { Issue } from "../base/index.js";
import { OPTION_NAMES, type OptionName, type Options, residueOf } from "../options/index.js";

/**
 * Why a process that has served these options must not serve another caller after a reset of its
 * conversation. Empty if it may. An option that is not known to be harmless counts as a reason.
 */
export function recyclingObstacles(options: Options): readonly Issue[] {
  const given = (Object.keys(options) as OptionName[]).filter(
    (name) => options[name] !== undefined,
  );
  const unset = OPTION_NAMES.filter((name) => options[name] === undefined);
  return [...given, ...unset].flatMap((name) => {
    const message = residueOf(name, options[name]);
    return message === undefined ? [] : [{ path: name, message }];
  });
}
