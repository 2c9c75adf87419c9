/**
 * A function that computes a value when it is called for the first time. For values of a module that few
 * programs need, because the import of the package evaluates all modules.
 */
export function lazy<T>(compute: () => T & {}): () => T {
  let value: (T & {}) | undefined;
  return () => {
    value ??= compute();
    return value;
  };
}
