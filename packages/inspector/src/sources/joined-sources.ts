import type { Sources } from "./source.js";

/** The sources of several lists, in their order. */
export function joinedSources(...parts: readonly Sources[]): Sources {
  return {
    list: () => parts.flatMap((part) => part.list()),
    listen(onChange) {
      const stops = parts.map((part) => part.listen(onChange));
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}
