import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { newUuid, randomHex } from "../../src/base/index.js";

/** The source without its types, which every run of the tests writes. */
const PLAIN = new URL("../../.plain/base/random.js", import.meta.url).href;

describe("newUuid()", () => {
  it("gives UUIDs of version 4, each another", () => {
    const uuids = Array.from({ length: 10_000 }, newUuid);
    const others = uuids.filter(
      (uuid) => !/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(uuid),
    );
    expect(others).toEqual([]);
    expect(new Set(uuids).size).toBe(10_000);
  });

  it("gives every digit at every random place", () => {
    const uuids = Array.from({ length: 2_000 }, () => newUuid().replaceAll("-", ""));
    const digits = Array.from({ length: 32 }, (_, at) => new Set(uuids.map((each) => each[at])));
    // Place 12 holds the version, and place 16 one of four digits.
    const wanted = digits.map((_, at) => (at === 12 ? 1 : at === 16 ? 4 : 16));
    expect(digits.map(({ size }) => size)).toEqual(wanted);
  });
});

describe("randomHex()", () => {
  it.each([1, 16, 1023, 1024, 1025, 5000])("gives two digits for each of %i bytes", (bytes) => {
    expect(randomHex(bytes)).toMatch(new RegExp(`^[0-9a-f]{${2 * bytes}}$`));
  });

  it.skipIf(process.platform === "win32")("gives bytes also if all descriptors are in use", () => {
    const program = `
      import { openSync } from "node:fs";
      import { randomHex } from ${JSON.stringify(PLAIN)};
      const hold = [];
      try { for (;;) hold.push(openSync("/dev/null")); } catch {}
      console.log(randomHex(16));`;
    const args = ["-c", 'ulimit -n 64; exec "$0" "$@"', process.execPath];
    expect(
      execFileSync("sh", [...args, "--input-type=module", "-e", program], { encoding: "utf8" }),
    ).toMatch(/^[0-9a-f]{32}\n$/);
  });
});
