import { maskSecrets } from "hawser";
import { describe, expect, it } from "vitest";
import { cutValue } from "../src/content/cut-value.js";

const asIs = (text: string) => text;

describe("cutValue()", () => {
  it("bounds lists of lists of numbers", () => {
    const rows = Array.from({ length: 200 }, () => Array.from({ length: 200 }, Math.random));
    expect(JSON.stringify(cutValue(rows, 1000, asIs)).length).toBeLessThan(3000);
    const flags = Array.from({ length: 200 }, () => Array.from({ length: 200 }, () => true));
    expect(JSON.stringify(cutValue(flags, 1000, asIs)).length).toBeLessThan(10_000);
    const lists = Array.from({ length: 200 }, () => Array.from({ length: 200 }, () => []));
    expect(JSON.stringify(cutValue(lists, 1000, asIs)).length).toBeLessThan(10_000);
  });

  it("masks a long secret that reaches over the limit", () => {
    const secret = `sekret${"x".repeat(2000)}`;
    const mask = (text: string) => text.replaceAll(secret, "***");
    const text = `${"a".repeat(900)}${secret}`;
    expect(cutValue(text, 1000, mask)).toBe(`${"a".repeat(900)}***`);
  });

  it("shows no part of a secret whose end was not read, even if other secrets made room", () => {
    const known = `sk-ant-${"k".repeat(3000)} `;
    const [first = ""] = [known.repeat(3)];
    const secret = `sekret${"x".repeat(4000)}`;
    const mask = (text: string) => maskSecrets(text).replaceAll(secret, "***");
    const shown = String(cutValue(first + secret, 1000, mask));
    expect(shown).not.toContain("sekret");
    expect(shown).toMatch(/…$/);
  });

  it("marks every text that was cut, and no other", () => {
    expect(cutValue("a".repeat(10), 10, asIs)).toBe("a".repeat(10));
    expect(cutValue("a".repeat(11), 10, asIs)).toBe(`${"a".repeat(10)}…`);
    expect(cutValue("a".repeat(1_000_000), 10, asIs)).toBe(`${"a".repeat(10)}…`);
  });
});
