import { fileURLToPath } from "node:url";
import type ts from "typescript";
import { describe, expect, it } from "vitest";
import { FULL } from "../support/cli.js";
import { GIVEN_ELSEWHERE } from "./owners.helper.js";
import { errorsOf, exportedTypes, placesOfAny, programOf } from "./program.helper.js";

/** The types of the official SDK: those with a layer of their own, and those of the wire. */
const TYPES = [path("../../src/query/types/index.ts"), path("../../src/wire/index.ts")];
/** The compiler checks every declaration of Node too. */
const LIMIT_MS = 200_000;

const CONSUMERS = [path("consumer-messages.ts"), path("consumer-options.ts")];
const PROVIDERS = path("consumer-providers.ts");
const PLANTED = path("planted.ts");
const OTHERS = Object.keys(GIVEN_ELSEWHERE).map((file) => [path(`../../${file}`), file] as const);

/** One program for all tests, because the compiler takes seconds for each program. */
const files = [...CONSUMERS, PROVIDERS, PLANTED, ...TYPES, ...OTHERS.map(([file]) => file)];
const program = programOf(files, true);

describe("types for code of the official SDK", () => {
  it(
    "compile in strict mode without exactOptionalPropertyTypes",
    () => {
      const loose = programOf(CONSUMERS, false);
      expect(errorsOf(loose, FULL ? undefined : CONSUMERS)).toEqual([]);
    },
    LIMIT_MS,
  );

  it(
    "compile with exactOptionalPropertyTypes and skipLibCheck: false, beside code for MAGI and Omega: both providers fit, and replyTarget of a message can be set",
    () => {
      expect(errorsOf(program)).toEqual([]);
    },
    LIMIT_MS,
  );
});

describe("the official names of types", () => {
  it("are more than 200, without an `any`", () => {
    const types = TYPES.flatMap((file) => [...exportedTypes(program, file)]).filter(isData);
    expect(types.length).toBeGreaterThan(200);
    expect(types.flatMap(([name, type]) => placesOfAny(program, name, type))).toEqual([]);
  });

  it("appear in an editor as the type of a message", () => {
    const checker = program.getTypeChecker();
    const messages = TYPES.flatMap((file) => [...exportedTypes(program, file)]).filter(([name]) =>
      /^SDK\w+(Message|Event|Success|Error)$/.test(name),
    );
    expect(messages.length).toBeGreaterThan(40);
    expect(messages.map(([, type]) => checker.typeToString(type))).toEqual(
      messages.map(([name]) => name),
    );
  });

  it.each(OTHERS)("that %s exports are complete", (file, name) => {
    const types = exportedTypes(program, file);
    expect(GIVEN_ELSEWHERE[name]?.filter((each) => !types.has(each))).toEqual([]);
  });

  it("are searched for `any` by a search that finds a planted one", () => {
    const places = [...exportedTypes(program, PLANTED)].flatMap(([name, type]) =>
      placesOfAny(program, name, type),
    );
    expect(places).toEqual(["Planted.deep<>.at"]);
  });
});

/** Leaves out classes: their private fields are not visible to callers. */
function isData([, type]: [string, ts.Type]): boolean {
  return !type.isClass();
}

function path(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}
