import { describe, expect, it } from "vitest";
import { copyContent, type OtherBlock } from "../../src/wire/index.js";
import { fc } from "../support/fc.js";

const json = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }));

describe("copyContent()", () => {
  it("gives blocks that are written as the same JSON", () => {
    fc.assert(
      fc.property(fc.array(json), (values) => {
        const blocks = values.map((value) => ({ ...value, type: "other" }) as OtherBlock);
        expect(JSON.stringify(copyContent(blocks))).toBe(JSON.stringify(blocks));
      }),
    );
  });

  it("shares no object and no list with the blocks", () => {
    const input = { list: [{ deep: "before" }] };
    const block = { type: "tool_use", id: "1", name: "t", input } as const;
    const [copy] = copyContent([block]);
    for (const item of input.list) item.deep = "after";
    input.list.push({ deep: "new" });
    expect(copy).toEqual({ ...block, input: { list: [{ deep: "before" }] } });
  });

  it("copies a value with a JSON form of its own as that form", () => {
    const block = { type: "other", at: new Date(0), nothing: undefined } as OtherBlock;
    const [copy] = copyContent([block]);
    expect(copy).toEqual({ type: "other", at: "1970-01-01T00:00:00.000Z" });
  });
});
