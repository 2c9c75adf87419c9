import type { Block } from "./page.helper.js";

/**
 * What is wrong with what a block has printed, by what the page says: a block of `text` behind it is
 * all of it; in the code, `//=>` stands for a line. `…` is anything.
 */
export function misprints({ code, prints }: Block, stdout: string): string[] {
  const whole = prints === undefined || patternOf(prints.trim()).test(stdout.trim());
  const lines = stdout.split("\n");
  const missing = saidIn(code).filter((said) => {
    const found = lines.findIndex((line) => patternOf(said).test(line.trim()));
    lines.splice(0, found + 1);
    return found < 0;
  });
  return [
    ...(whole ? [] : [`should print:\n${prints}but prints:\n${stdout}`]),
    ...missing.map((said) => `should print "${said}" but prints:\n${stdout}`),
  ];
}

function saidIn(code: string): string[] {
  return [...code.matchAll(/\/\/=> (.+)$/gm)].map(([, said = ""]) => said.trim());
}

function patternOf(text: string): RegExp {
  const parts = text.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[\\s\\S]*?")}$`);
}
