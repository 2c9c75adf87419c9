export interface Cell {
  readonly id: string;
  readonly step: string;
  readonly fault: string;
  readonly entry: string;
}

export const STEPS: Readonly<Record<string, object>>;
export const FAULTS: Readonly<Record<string, object>>;
export const ENTRIES: readonly string[];

export function cellsOf(how: {
  readonly seed: number;
  readonly rounds?: number;
  readonly only?: string;
  readonly share?: number;
}): Cell[];
