import { generateText } from "ai";
import { observe, warned } from "../support/observe.js";
import { blocksOf } from "../support/replies.js";

export const FILES = {
  image: {
    title: "an image reaches the model",
    replies: () => ["A knot."],
    run: (side) => arrives(side, "image", { mediaType: "image/png", data: pixel() }),
  },
  pdf: {
    title: "a PDF reaches the model",
    replies: () => ["A knot."],
    run: (side) => arrives(side, "document", { mediaType: "application/pdf", data: page() }),
  },
};

async function arrives({ model, asked }, blockType, file) {
  const { warnings } = await generateText({
    model: model(),
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "file", ...file },
        ],
      },
    ],
  });
  const sent = blocksOf(asked()[0]).find(({ type }) => type === blockType);
  observe(
    sent?.source?.data === file.data,
    () =>
      `the request has ${sent === undefined ? "no" : "another"} \`${blockType}\`; ${warned(warnings)}`,
  );
}

/** A picture of one point, as Base64. The CLI reads its size. */
function pixel() {
  return "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
}

/** A document of one empty page, as Base64. */
function page() {
  return Buffer.from(`%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj
trailer<</Root 1 0 R>>
%%EOF
`).toString("base64");
}
