import { fileURLToPath } from "node:url";
import type ts from "typescript";
import { describe, expect, it } from "vitest";
import { GIVEN_ELSEWHERE } from "./owners.helper.js";
import { errorsOf, exportedTypes, placesOfAny, programOf } from "./program.helper.js";

/** What the official SDK declares: in a layer of its own, or as the wire does. */
const TYPES = [path("../../src/query/types/index.ts"), path("../../src/wire/index.ts")];
/** The compiler checks every declaration of Node too. */
const LIMIT_MS = 200_000;

const CONSUMERS = [path("consumer-messages.ts"), path("consumer-options.ts")];

describe("code written for the official types", () => {
  it.each([
    ["strict", false],
    ["strict with exact optional properties", true],
  ])(
    "compiles %s, with the declarations of libraries checked",
    (_, exact) => {
      expect(errorsOf(programOf(CONSUMERS, exact))).toEqual([]);
    },
    LIMIT_MS,
  );
});

describe("code written for the contracts of MAGI and Omega", () => {
  it(
    "compiles: both providers fit, and a message can be given its replyTarget",
    () => {
      expect(errorsOf(programOf([path("consumer-providers.ts")], true))).toEqual([]);
    },
    LIMIT_MS,
  );
});

describe("the official names of types", () => {
  const others = Object.keys(GIVEN_ELSEWHERE).map((file) => [path(`../../${file}`), file] as const);
  const program = programOf([...TYPES, ...others.map(([file]) => file)], true);

  it("are many, and none of them has an `any` in it", () => {
    const types = TYPES.flatMap((file) => [...exportedTypes(program, file)]).filter(isData);
    expect(types.length).toBeGreaterThan(200);
    expect(types.flatMap(([name, type]) => placesOfAny(program, name, type))).toEqual([]);
  });

  it("of messages are what an editor shows, not how they are derived", () => {
    const checker = program.getTypeChecker();
    const messages = TYPES.flatMap((file) => [...exportedTypes(program, file)]).filter(([name]) =>
      /^SDK\w+(Message|Event|Success|Error)$/.test(name),
    );
    expect(messages.length).toBeGreaterThan(40);
    expect(messages.map(([, type]) => checker.typeToString(type))).toEqual(
      messages.map(([name]) => name),
    );
  });

  it.each(others)("that are given by %s are there", (file, name) => {
    const types = exportedTypes(program, file);
    expect(GIVEN_ELSEWHERE[name]?.filter((each) => !types.has(each))).toEqual([]);
  });

  it("would show an `any`", () => {
    const planted = path("planted.ts");
    const tainted = programOf([planted], true);
    const places = [...exportedTypes(tainted, planted)].flatMap(([name, type]) =>
      placesOfAny(tainted, name, type),
    );
    expect(places).toEqual(["Planted.deep<>.at"]);
  });
});

/** A class has private fields, which no caller sees. */
function isData([, type]: [string, ts.Type]): boolean {
  return !type.isClass();
}

function path(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}
