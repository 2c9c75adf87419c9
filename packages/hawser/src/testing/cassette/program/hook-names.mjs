/** Maps the recorded callback ids of hooks to those of this host, because each host chooses its own. */
export class HookNames {
  #recorded;
  #given = [];

  /** `hooks` as in an initialize request, or undefined. */
  constructor(hooks) {
    this.#recorded = listed(hooks);
  }

  given(hooks) {
    this.#given = listed(hooks);
  }

  /** This host's id for a recorded one; undefined if the host has no such hook. */
  nameOf(id) {
    const hook = this.#recorded.find((each) => each.id === id);
    if (hook === undefined) return undefined;
    const isAlike = (each) => each.event === hook.event && each.matcher === hook.matcher;
    const nth = this.#recorded.filter(isAlike).indexOf(hook);
    return this.#given.filter(isAlike)[nth]?.id;
  }
}

function listed(hooks) {
  return Object.entries(hooks ?? {}).flatMap(([event, matchers]) =>
    (Array.isArray(matchers) ? matchers : []).flatMap(({ matcher, hookCallbackIds }) =>
      (hookCallbackIds ?? []).map((id) => ({ event, matcher, id })),
    ),
  );
}
