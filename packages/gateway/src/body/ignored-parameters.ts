/**
 * Collects the parameters of a request that have no effect, each once. Positions are left out of the paths
 * (`messages[].name`), because a long conversation would name the same parameter hundreds of times.
 */
export class IgnoredParameters {
  readonly #names = new Set<string>();

  add(path: string, note?: string): void {
    const name = path.replaceAll(/\[\d+\]/g, "[]");
    this.#names.add(note === undefined ? name : `${name} (${note})`);
  }

  get names(): readonly string[] {
    return [...this.#names];
  }
}
