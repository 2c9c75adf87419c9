import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fc } from "../../../hawser/test/support/fc.js";
import { searchQuery, wordsOf } from "../../src/conversations/message-words.js";
import type { Database } from "../../src/database/database.js";
import { openDatabase } from "../../src/database/open-database.js";
import { createDatabase, type TestDatabase } from "../support/postgres.js";

let test: TestDatabase;
let database: Database;
beforeAll(async () => {
  test = await createDatabase();
  database = await openDatabase(test.url);
});
afterAll(async () => {
  await database.close();
  await test.dispose();
});

describe("wordsOf() and searchQuery()", () => {
  it.each([
    ["The harbour's crane is REPAIRED.", "repaired crane"],
    ["Der Größte Hafen", "größte"],
    ["ＦＵＬＬ width ﬁle", "full file"],
    ["東京の天気はどうですか", "天気"],
    ["ภาษาไทยไม่มีช่องว่าง", "ภาษา"],
    ["Мама мыла раму", "МЫЛА"],
    ["a\u0000b \ud800 c", "c"],
    ["it's back\\slash 'quoted' & | ! ( ) :* <->", "it's quoted back"],
    ["deploy the deployment", "depl"],
  ])("find %j by %j", async (text, words) => {
    expect(await isFound(text, words)).toBe(true);
  });

  it.each([
    ["harbour crane", "harbour ship"],
    ["deploy", "deployment"],
    ["", "anything"],
  ])("do not find %j by %j", async (text, words) => {
    expect(await isFound(text, words)).toBe(false);
  });

  it("make no query of a text without words", () => {
    expect(searchQuery("")).toBeUndefined();
    expect(searchQuery(" \u0000 ?! ")).toBeUndefined();
  });

  it("index any text, and every word of a text finds it", async () => {
    const texts = fc.array(fc.string({ unit: "binary", maxLength: 200 }), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(texts, async (parts) => {
        const text = parts.join(" ");
        const query = searchQuery(text);
        expect(await isFound(text, text)).toBe(query !== undefined);
      }),
      { numRuns: 100 },
    );
  });

  it("bound the index of a message of any length", async () => {
    const many = Array.from({ length: 100_000 }, (_, place) => place.toString(36)).join(" ");
    const long = "x".repeat(1_000_000);
    expect(await isFound(`${many} ${long}`, "zz")).toBe(true);
    expect(await isFound(long, "x".repeat(5000))).toBe(true);
  });
});

async function isFound(text: string, words: string): Promise<boolean> {
  const { rows } = await database.query<{ found: boolean }>(
    "select array_to_tsvector($1::text[]) @@ $2::tsquery as found",
    [wordsOf(text), searchQuery(words) ?? ""],
  );
  return rows[0]?.found === true;
}
