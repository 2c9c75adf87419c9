export function joinDeclarations(
  folder: string,
  entries: Readonly<Record<string, readonly string[]>>,
): void;
