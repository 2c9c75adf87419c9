/** A store that records the calls of its methods with their arguments, except for the hidden methods. */
export function spied(base, hidden = []) {
  const calls = [];
  const store = new Proxy(base, {
    get(target, name) {
      if (hidden.includes(name)) return undefined;
      const value = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...given) => {
        calls.push({ name, given: structuredClone(given) });
        return value.apply(target, given);
      };
    },
  });
  return { store, calls };
}
