// Extracts invoices from text files, several at once. Shows a pool with a `schema`.
//
//   node typed-extractor.js mail-1.txt mail-2.txt > invoices.jsonl
//   pbpaste | node typed-extractor.js
//
// Prints one JSON line for each file with an invoice, in the order of the arguments. For other
// files it prints the error code on stderr, and the exit code is 1.
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { createPool, isHawserError } from "hawser";

/** @typedef {{ vendor: string, date: string, total: number, currency: string }} Invoice */

// With zod 4, write `z.object({ vendor: z.string(), … })`. Then `value` below has that type.
const INVOICE = {
  type: "object",
  properties: {
    vendor: { type: "string", minLength: 1 },
    date: { type: "string", description: "YYYY-MM-DD", pattern: "^\\d{4}-\\d\\d-\\d\\d$" },
    total: { type: "number", exclusiveMinimum: 0 },
    currency: { type: "string", pattern: "^[A-Z]{3}$" },
  },
  required: ["vendor", "date", "total", "currency"],
};

const OPTIONS = {
  systemPrompt: "You read invoices. Take values only from the text that you are given.",
  schema: INVOICE,
  maxRepairs: 1,
};

const files = process.argv.slice(2);
const inputs = files.length > 0 ? files : ["-"];
// Four processes at most, each for many inputs, so that the CLI starts only a few times.
const pool = createPool({ size: { max: 4 } });

for (const { file, invoice, error } of await Promise.all(inputs.map(extract))) {
  if (invoice) console.log(JSON.stringify({ file, ...invoice }));
  else process.exitCode = 1;
  if (error) console.error(`${file}: ${error}`);
}
await pool.drain();

/**
 * @param {string} file
 * @returns {Promise<{ file: string, invoice?: Invoice, error?: string }>}
 */
async function extract(file) {
  try {
    const source = file === "-" ? await text(process.stdin) : await readFile(file, "utf8");
    const { value } = await pool.complete(`<invoice>\n${source}\n</invoice>`, OPTIONS);
    return { file, invoice: /** @type {Invoice} */ (value) };
  } catch (error) {
    if (!isHawserError(error)) return { file, error: String(error) };
    const issues = error.issues?.map(({ path, message }) => `${path ?? "value"} ${message}`) ?? [];
    return { file, error: `${error.code}: ${[error.message, ...issues].join(" | ")}` };
  }
}
